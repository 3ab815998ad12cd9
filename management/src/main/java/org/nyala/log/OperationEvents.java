package org.nyala.log;

import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.LdapResult;
import org.nyala.core.metrics.OperationMetrics;
import org.nyala.core.metrics.Phase;
import org.nyala.core.session.Operation;
import org.nyala.core.session.Session;
import org.nyala.core.session.SessionListener;

/**
 * Emits events of operations for flight recordings.
 *
 * <p>Thread-safe. Hot: an operation reads one field while nothing is recorded.
 */
public final class OperationEvents implements SessionListener {
  private volatile @Nullable EventType type;

  /** Creates the emitter, which is idle until a recording starts. */
  public OperationEvents() {}

  /** Returns whether a recording wants operations. */
  private boolean areWanted() {
    // Querying the type would start the recorder, which takes memory.
    if (!FlightRecorder.isInitialized()) {
      return false;
    }
    EventType known = type;
    if (known == null) {
      known = EventType.getEventType(OperationEvent.class);
      type = known;
    }
    return known.isEnabled();
  }

  @Override
  public void completed(Session session, Operation operation, @Nullable LdapResult answer) {
    if (!areWanted()) {
      return;
    }
    OperationEvent event = new OperationEvent();
    event.total = operation.totalNanos();
    if (!event.shouldCommit()) {
      return;
    }
    event.operation = operation.request().type().label();
    event.connection = session.connectionNumber();
    event.number = operation.number();
    event.messageId = operation.request().messageId();
    event.identity = operation.identity().dn().toString();
    event.request = AccessLog.summary(operation.request());
    event.result = answer == null ? OperationMetrics.ABANDONED : answer.code().label();
    event.entries = operation.sink().entries();
    event.decode = operation.nanos(Phase.DECODE);
    event.admission = operation.nanos(Phase.ADMISSION);
    event.queue = operation.nanos(Phase.QUEUE);
    event.execute = operation.nanos(Phase.EXECUTE);
    event.hash = operation.nanos(Phase.HASH);
    event.commit = operation.nanos(Phase.COMMIT);
    event.write = operation.nanos(Phase.WRITE);
    event.commit();
  }
}
