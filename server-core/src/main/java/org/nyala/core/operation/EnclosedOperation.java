package org.nyala.core.operation;

import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;

/**
 * An operation before which something is done; all else is the operation's own.
 *
 * <p>Confined to one running operation.
 */
abstract class EnclosedOperation implements OperationBody {
  final OperationBody body;

  EnclosedOperation(OperationBody body) {
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
