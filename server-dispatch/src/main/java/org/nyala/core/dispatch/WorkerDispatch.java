package org.nyala.core.dispatch;

/**
 * Runs every task on the workers. Strategies differ in the thread that decodes, the number and kind
 * of places, the choice of place for a task, and the number of permits.
 *
 * <p>Thread-safe.
 */
final class WorkerDispatch implements DispatchStrategy {
  private final String name;
  private final DecodePlacement decodePlacement;
  private final Workers workers;

  WorkerDispatch(String name, DecodePlacement decodePlacement, Workers workers) {
    this.name = name;
    this.decodePlacement = decodePlacement;
    this.workers = workers;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public DecodePlacement decodePlacement() {
    return decodePlacement;
  }

  @Override
  public boolean dispatch(Task task) {
    return workers.enter(task);
  }

  @Override
  public void resume(Task task) {
    workers.resume(task);
  }

  @Override
  public boolean withdraw(Task task) {
    return workers.withdraw(task);
  }

  @Override
  public boolean recall(Task task) {
    return workers.recall(task);
  }

  @Override
  public int inFlight() {
    return workers.inFlight();
  }

  @Override
  public void close() {
    workers.close();
  }
}
