package org.nyala.loadtest.ldap;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of the requests of a connection that have not left yet, one after the other; it is used
 * over and over. Confined to the channel's event loop. Hot.
 */
public final class RequestBuffer {
  private static final int CAPACITY = 1024;

  private @Nullable ByteBuf requests;

  /** The buffer to whose end the next request is written. */
  public ByteBuf end(Wire wire) {
    ByteBuf out = requests;
    if (out == null) {
      out = wire.allocator().directBuffer(CAPACITY);
      requests = out;
    }
    return out;
  }

  /** Writes a whole message that {@link Pdu} made, with another message id. */
  public void message(Wire wire, int messageId, byte[] message) {
    ByteBuf out = end(wire);
    int start = out.writerIndex();
    out.writeBytes(message);
    out.setMedium(start + Pdu.messageIdPlace(message), messageId);
  }

  /** Writes a simple bind with a name that a search found; lengths take three octets. */
  public void bind(
      Wire wire,
      int messageId,
      byte[] dn,
      int dnLength,
      Placeholder password,
      int person,
      long operation) {
    ByteBuf out = end(wire);
    int message = open(out, 0x30);
    out.writeMedium(0x020300 | messageId >>> 16).writeShort(messageId);
    int body = open(out, 0x60);
    out.writeMedium(0x020103);
    int name = open(out, 0x04);
    out.writeBytes(dn, 0, dnLength);
    close(out, name);
    int secret = open(out, 0x80);
    password.write(out, person, operation);
    close(out, secret);
    close(out, body);
    close(out, message);
  }

  private static int open(ByteBuf out, int tag) {
    out.writeByte(tag).writeByte(0x83).writeMedium(0);
    return out.writerIndex();
  }

  private static void close(ByteBuf out, int content) {
    out.setMedium(content - 3, out.writerIndex() - content);
  }

  /** Sends all requests with one write. */
  public void flush(Wire wire) {
    ByteBuf out = requests;
    if (out != null && out.isReadable() && !wire.send(out)) {
      requests = null;
    }
  }

  public void release() {
    if (requests != null) {
      requests.release();
      requests = null;
    }
  }
}
