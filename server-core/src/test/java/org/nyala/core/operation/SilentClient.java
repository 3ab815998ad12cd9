package org.nyala.core.operation;

import org.jspecify.annotations.Nullable;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.ResponseSink;

/**
 * The client of sessions whose operations a test runs itself.
 *
 * @param isOnThisMachine whether it is on this machine
 * @param given its address; null for one that all such clients have
 */
public record SilentClient(boolean isOnThisMachine, @Nullable Object given)
    implements ClientConnection {
  /** Creates a client with an address that all such clients have. */
  public SilentClient(boolean isOnThisMachine) {
    this(isOnThisMachine, null);
  }

  @Override
  public Object address() {
    return given == null ? this : given;
  }

  @Override
  public int number() {
    return 1;
  }

  @Override
  public void execute(Runnable work) {
    work.run();
  }

  @Override
  public void executeLater(Runnable work) {
    work.run();
  }

  @Override
  public ResponseSink openSink(Request request) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void resumeReading() {}

  @Override
  public void sendNotice(LdapResult result, String oid, byte @Nullable [] value) {}

  @Override
  public void disconnect(@Nullable LdapResult notice) {}
}
