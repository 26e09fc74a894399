"""Model of the table screen, in modules with calls in one direction.

The ``controller`` runs the session and calls the ``view_model``, which calls the ``cursor``; the view model holds the
one value that the screen paints, the frame, and replaces it after each change. No module calls one that comes before
it in this order. Keys and the mouse call the cursor, and submit the action that it returns to the
controller. Of the ``evaluation_tasks`` the controller has that for hints, and the screen that for the end of the
session: both compute in other processes, and give what they find to the view model.
"""
