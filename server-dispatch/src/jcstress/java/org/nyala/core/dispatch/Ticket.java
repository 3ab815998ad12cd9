package org.nyala.core.dispatch;

/** A task with a letter, which never runs. Immutable. */
record Ticket(char letter) implements Task {
  @Override
  public Outcome run(SliceBudget budget) {
    return Outcome.DONE;
  }

  @Override
  public Lane lane() {
    return Lane.READ;
  }

  @Override
  public int costClass() {
    return 0;
  }

  @Override
  public int connectionNumber() {
    return 1;
  }

  @Override
  public void admitted() {}

  @Override
  public void continueOnLoop(Runnable continuation) {
    continuation.run();
  }
}
