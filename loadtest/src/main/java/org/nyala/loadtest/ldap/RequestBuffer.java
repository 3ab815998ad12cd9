package org.nyala.loadtest.ldap;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of the requests of a connection that have not left yet, one after the other; it is used
 * over and over. Confined to the channel's event loop. Hot.
 */
public final class RequestBuffer {
  private static final int CAPACITY = 1024;
  private static final int CONTROLS = 0xa0;

  private final byte[] controls;
  private @Nullable ByteBuf requests;

  /**
   * Makes an empty buffer.
   *
   * @param controls the elements of the controls that {@link #addControls} adds, one after the
   *     other
   */
  public RequestBuffer(byte[] controls) {
    this.controls = controls.clone();
  }

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

  /**
   * Adds the controls to the last message, beside those that it has.
   *
   * @param start the place at which the message begins in the buffer
   */
  public void addControls(int start) {
    ByteBuf out = requests;
    if (out == null || controls.length == 0) {
      return;
    }
    int message = widen(out, start);
    int list = after(out, after(out, message));
    int content = list == out.writerIndex() ? open(out, CONTROLS) : widen(out, list);
    out.writeBytes(controls);
    close(out, content);
    close(out, message);
  }

  /** The place behind an element. */
  private static int after(ByteBuf out, int element) {
    int octets = lengthOctets(out, element);
    int length = octets == 0 ? out.getByte(element + 1) : 0;
    for (int at = element + 2; at < element + 2 + octets; at++) {
      length = length << 8 | out.getUnsignedByte(at);
    }
    return element + 2 + octets + length;
  }

  /** The octets of a length behind its first one. */
  private static int lengthOctets(ByteBuf out, int element) {
    int first = out.getUnsignedByte(element + 1);
    return first < 0x80 ? 0 : first & 0x7f;
  }

  /** Makes room for a length in three octets of the last element; returns its content's place. */
  private static int widen(ByteBuf out, int element) {
    int octets = lengthOctets(out, element);
    int end = out.writerIndex();
    int more = 3 - octets;
    out.writeZero(more);
    for (int at = end - 1; at >= element + 2 + octets; at--) {
      out.setByte(at + more, out.getByte(at));
    }
    out.setByte(element + 1, 0x83);
    return element + 5;
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
