"""Model of the table screen: controller, view model, view state and cursor."""
