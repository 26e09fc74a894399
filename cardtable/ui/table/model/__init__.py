"""Model of the table screen, in modules with calls in one direction.

The ``controller`` runs the session and calls the ``view_model``, which calls the ``cursor``; the values that the
screen paints are made with the types in ``view_state``. No module calls one that comes before it in this order. Keys
and the mouse call the cursor, which hands a chosen action to the controller through a callback of the screen. The
controller has a ``hint_task``, and the screen a ``session_end`` task: both compute in other processes, and give what
they find to the view model.
"""
