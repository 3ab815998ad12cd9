package org.nyala.core.session;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;

/**
 * The unfinished requests of one session: the deferred ones, in the order of arrival, and the
 * operations in flight, which were started. Finds them by message id, and ends them before their
 * time.
 *
 * <p>Confined as its session is. Hot.
 */
final class OpenRequests {
  private final OperationRouter router;
  private final Admission admission;
  private final RequestCharges charges;
  private final ArrayDeque<Request> deferred = new ArrayDeque<>(0);
  private final List<Operation> inFlight = new ArrayList<>();

  /** The length of the queue, so that a request that need not wait does not read it. */
  private int deferredCount;

  /** Opens the requests of a session, of which {@code admission} has the one that waits. */
  OpenRequests(OperationRouter router, Admission admission, RequestCharges charges) {
    this.charges = charges;
    this.router = router;
    this.admission = admission;
  }

  /** Defers a request until those before it have been started. */
  void defer(Request request) {
    deferred.add(request);
    charges.waits(request);
    deferredCount++;
  }

  /** Returns the number of deferred requests. */
  int deferredCount() {
    return deferredCount;
  }

  /** Takes out the request that was deferred first; there must be one. */
  Request takeDeferred() {
    deferredCount--;
    return deferred.removeFirst();
  }

  /** Records an operation that is being started. */
  void started(Operation operation) {
    inFlight.add(operation);
  }

  /** Records an operation that has ended. */
  void ended(Operation operation) {
    inFlight.remove(operation);
  }

  /** Returns the number of operations in flight. */
  int inFlightCount() {
    return inFlight.size();
  }

  /** The operations in flight now. */
  List<Operation> inFlight() {
    return List.copyOf(inFlight);
  }

  /** Returns whether a request that has not ended, and will be answered, has the message id. */
  boolean isInUse(int messageId) {
    return inFlight(messageId) != null || (deferredCount > 0 && deferred(messageId) != null);
  }

  private @Nullable Operation inFlight(int messageId) {
    for (int i = 0; i < inFlight.size(); i++) {
      Operation operation = inFlight.get(i);
      if (operation.request().messageId() == messageId && !operation.isSilenced()) {
        return operation;
      }
    }
    return null;
  }

  private @Nullable Request deferred(int messageId) {
    for (Request request : deferred) {
      if (request.messageId() == messageId) {
        return request;
      }
    }
    return null;
  }

  /**
   * Cancels the operation in flight with a message id, or takes out the deferred request that has
   * it (RFC 3909).
   *
   * @param cause is finished when the operation has ended
   * @return the request that was deferred; null if an operation was in flight
   * @throws LdapOperationException noSuchOperation or cannotCancel
   */
  @Nullable Request cancel(int messageId, @Nullable Operation cause) throws LdapOperationException {
    Operation operation = inFlight(messageId);
    Request request = operation == null ? deferred(messageId) : operation.request();
    if (request == null) {
      throw new LdapOperationException(LdapResult.of(ResultCode.NO_SUCH_OPERATION));
    }
    if (isIndispensable(request) || operation != null && operation.canceler() != null) {
      throw new LdapOperationException(LdapResult.of(ResultCode.CANNOT_CANCEL));
    }
    if (operation == null) {
      deferred.remove(request);
      deferredCount = deferred.size();
      return request;
    }
    operation.cancel(cause);
    admission.endUnlessBegun(operation);
    return null;
  }

  /**
   * Abandons the request with a message id (RFC 4511, section 4.11).
   *
   * @return true if it was deferred
   */
  boolean abandon(int messageId) {
    Request request = deferredCount > 0 ? deferred(messageId) : null;
    if (request != null && !(request instanceof Request.Bind)) {
      deferred.remove(request);
      deferredCount = deferred.size();
      charges.release(request);
      return true;
    }
    Operation operation = inFlight(messageId);
    if (operation != null && !isIndispensable(operation.request())) {
      operation.abandon();
      admission.endUnlessBegun(operation);
    }
    return false;
  }

  /** Bind and Cancel can be neither abandoned nor canceled (RFC 4511, 4.11; RFC 3909, 3). */
  private boolean isIndispensable(Request request) {
    return request instanceof Request.Bind || router.overtakes(request);
  }

  /** Abandons everything. Abandoning may end an operation at once, which takes it out. */
  void abandonAll() {
    deferred.forEach(charges::release);
    deferred.clear();
    deferredCount = 0;
    for (Operation operation : inFlight()) {
      operation.abandon();
      admission.endUnlessBegun(operation);
    }
  }

  /** Ends the operations that would go on for ever. */
  void stopEndless() {
    for (Operation operation : inFlight()) {
      if (operation.isEndless() && operation.canceler() == null) {
        operation.stop();
        admission.endUnlessBegun(operation);
      }
    }
  }

  /** Wakes the operations that wait for the client to read. */
  void wake() {
    // From the end, and never past it: an operation that ends at once takes itself out of the list.
    for (int i = inFlight.size() - 1; i >= 0; i = Math.min(i, inFlight.size()) - 1) {
      inFlight.get(i).wake();
    }
  }
}
