package org.nyala.core.dispatch;

/**
 * Runs the tasks of a connection on the connection's own stripe, in the order of their arrival,
 * under permits that are given back on completion.
 *
 * <p>Thread-safe.
 */
final class StripedDispatch implements DispatchStrategy {
  static final String NAME = "striped";

  private final Workers workers;

  StripedDispatch(DispatchSettings settings) {
    this.workers = new Workers(settings);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public DecodePlacement decodePlacement() {
    return DecodePlacement.EVENT_LOOP;
  }

  @Override
  public boolean dispatch(Task task) {
    return workers.enter(task, workers.ofConnection(task));
  }

  @Override
  public void resume(Task task) {
    workers.resume(task, workers.ofConnection(task));
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
