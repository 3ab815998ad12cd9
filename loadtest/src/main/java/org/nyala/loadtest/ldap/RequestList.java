package org.nyala.loadtest.ldap;

import io.netty.buffer.ByteBuf;
import java.util.List;

/** Whole requests, all different, identified by their number. Immutable. Hot: {@link #write}. */
public final class RequestList implements Request {
  private final byte[][] messages;

  /**
   * Takes over messages.
   *
   * @param messages whole ones, as {@link Pdu} makes them; at least one
   */
  public RequestList(List<byte[]> messages) {
    this.messages = messages.toArray(byte[][]::new);
  }

  @Override
  public void write(ByteBuf target, int messageId, int number, long stamp, long operation) {
    byte[] message = messages[number % messages.length];
    int start = target.writerIndex();
    target.writeBytes(message);
    target.setMedium(start + Pdu.messageIdPlace(message), messageId);
  }
}
