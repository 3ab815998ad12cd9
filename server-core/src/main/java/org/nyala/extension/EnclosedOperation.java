package org.nyala.extension;

import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;

/**
 * An operation before which something is done; all else is the operation's own.
 *
 * <p>Confined to one running operation.
 */
public abstract class EnclosedOperation implements OperationBody {
  protected final OperationBody body;

  /** Encloses an operation, which {@link #run} has to run in its turn. */
  protected EnclosedOperation(OperationBody body) {
    this.body = body;
  }

  @Override
  public void arrived(Operation operation) {
    body.arrived(operation);
  }

  @Override
  public boolean isReady() {
    return body.isReady();
  }

  @Override
  public boolean isEndless() {
    return body.isEndless();
  }

  @Override
  public void ended() {
    body.ended();
  }
}
