package org.nyala.core.session;

import org.jspecify.annotations.Nullable;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.metrics.OperationRecorder;
import org.nyala.core.metrics.ServerMetrics;

/**
 * Counts and times the requests of one session, and notifies the listener.
 *
 * <p>Confined as its session is. Hot.
 */
final class SessionAccount {
  private final Session session;
  private final SessionEnvironment environment;
  private final OperationRecorder recorder;
  private int requests;
  private int completed;

  /** The request that is being received; once it has waited it no longer counts as such. */
  private @Nullable Request received;

  private long receivedNanos;
  private long decodeNanos;

  /** Opens an account; on the connection's event loop. */
  SessionAccount(Session session, SessionEnvironment environment) {
    this.session = session;
    this.environment = environment;
    this.receivedNanos = environment.nanoClock().getAsLong();
    this.recorder = environment.metrics().operations().recorder();
  }

  /** A request has been decoded and is about to be taken. */
  void receives(Request request, long nowNanos, long tookNanos) {
    received = request;
    receivedNanos = nowNanos;
    decodeNanos = tookNanos;
  }

  /** It has been taken. */
  void hasReceived() {
    received = null;
  }

  /** The time at which a request begins to be carried out: now. */
  long arrivalNanos(Request request) {
    return request == received ? receivedNanos : environment.nanoClock().getAsLong();
  }

  /** Returns the time taken to decode a request; 0 if it has waited since. */
  long decodeNanos(Request request) {
    return request == received ? decodeNanos : 0;
  }

  /** Counts a request that is carried out, and gives it its number. */
  int starts(Request request) {
    int number = requests++;
    environment.metrics().operations().started(request.type());
    environment.listener().started(session, number, request);
    return number;
  }

  /** Returns the status of the session; other threads may see a slightly older one. */
  SessionStatus status(int executing, int pending) {
    return new SessionStatus(
        session.identity(), requests, executing, pending, completed, receivedNanos);
  }

  /** Counts an operation that has ended; on the event loop. */
  void completed(Operation operation) {
    completed++;
    ServerMetrics metrics = environment.metrics();
    metrics.operationsCompleted().increment();
    ResponseSink sink = operation.sink();
    LdapResult answer = sink.answered();
    if (operation.isSilenced()) {
      metrics.operationsAbandoned().increment();
      answer = null;
    }
    recorder.completed(
        operation.request().type(), operation, answer == null ? null : answer.code());
    metrics.responsesSent().add(sink.responses());
    environment.listener().completed(session, operation, answer);
  }

  /** The session is over. */
  void closed() {
    environment.listener().closed(session);
  }
}
