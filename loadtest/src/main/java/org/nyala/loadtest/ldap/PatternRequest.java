package org.nyala.loadtest.ldap;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A request with placeholders of any length, compiled once from a message of {@link Pdu} in which
 * single characters stand for them. Lengths around them are written in three octets, whatever they
 * are. Immutable. Hot: {@link #write}.
 */
public final class PatternRequest implements Request {
  /** The greatest number of placeholders in the requests of a test. */
  public static final int MOST = 0x1000;

  private static final char FIRST_MARKER = '\ue000';
  private static final int MARKER_BYTE = 0xee;
  private static final int MARKER_LENGTH = 3;
  private static final int CONSTRUCTED = 0x20;
  private static final int EXTENDED_REQUEST = 0x77;
  private static final int REQUEST_VALUE = 0x81;

  /** The place of the message id behind the tag and the length in four octets of the message. */
  private static final int MESSAGE_ID_PLACE = 7;

  private final Node message;

  private PatternRequest(Node message) {
    this.message = message;
  }

  /** The placeholders of the requests of a test. Confined to the thread that encodes. */
  public static final class Placeholders {
    private final List<Node> all = new ArrayList<>();

    /** Returns the character that stands for a placeholder. */
    public String mark(Placeholder placeholder) {
      return mark(new Inserted(placeholder));
    }

    /** Returns the character that stands for the stamp of a request, in digits. */
    public String stamp() {
      return mark(new Stamp());
    }

    private String mark(Node node) {
      if (all.size() == MOST) {
        throw new IllegalArgumentException("requests may have at most " + MOST + " placeholders");
      }
      all.add(node);
      return String.valueOf((char) (FIRST_MARKER + all.size() - 1));
    }

    /** Returns a request for a message, compiled if it has placeholders. */
    public Request request(byte[] message) {
      List<Node> nodes = nodes(message, 0, message.length, 0);
      return nodes.getFirst() instanceof Literal
          ? RequestTemplate.constant(message)
          : new PatternRequest(nodes.getFirst());
    }

    private List<Node> nodes(byte[] bytes, int from, int to, int parent) {
      List<Node> nodes = new ArrayList<>();
      int at = from;
      while (at < to) {
        int first = bytes[at + 1] & 0xff;
        int octets = first < 0x80 ? 0 : first & 0x7f;
        int length = first;
        if (octets > 0) {
          length = 0;
          for (int i = 0; i < octets; i++) {
            length = length << 8 | bytes[at + 2 + i] & 0xff;
          }
        }
        int content = at + 2 + octets;
        nodes.add(node(bytes, at, content, content + length, parent));
        at = content + length;
      }
      return nodes;
    }

    private Node node(byte[] bytes, int start, int content, int end, int parent) {
      if (marker(bytes, content, end) == end) {
        return new Literal(Arrays.copyOfRange(bytes, start, end));
      }
      int tag = bytes[start] & 0xff;
      // The value of an extended request is an octet string with elements in it.
      boolean isConstructed =
          (tag & CONSTRUCTED) != 0 || parent == EXTENDED_REQUEST && tag == REQUEST_VALUE;
      List<Node> parts =
          isConstructed ? nodes(bytes, content, end, tag) : pieces(bytes, content, end);
      boolean isWhole =
          !isConstructed
              && parts.size() == 1
              && parts.getFirst() instanceof Inserted one
              && one.text.isElement();
      return isWhole ? parts.getFirst() : new Element(bytes[start], parts.toArray(Node[]::new));
    }

    private List<Node> pieces(byte[] bytes, int from, int to) {
      List<Node> pieces = new ArrayList<>();
      int at = from;
      while (at < to) {
        int marker = marker(bytes, at, to);
        if (marker > at) {
          pieces.add(new Literal(Arrays.copyOfRange(bytes, at, marker)));
        }
        if (marker < to) {
          pieces.add(all.get(number(bytes, marker)));
        }
        at = marker + MARKER_LENGTH;
      }
      return pieces;
    }

    /** The place of the next marker; {@code to} if there is none. */
    private int marker(byte[] bytes, int from, int to) {
      for (int at = from; at + MARKER_LENGTH <= to; at++) {
        if ((bytes[at] & 0xff) == MARKER_BYTE && number(bytes, at) < all.size()) {
          return at;
        }
      }
      return to;
    }

    private static int number(byte[] bytes, int at) {
      boolean isText = (bytes[at + 1] & 0xc0) == 0x80 && (bytes[at + 2] & 0xc0) == 0x80;
      return isText ? (bytes[at + 1] & 0x3f) << 6 | bytes[at + 2] & 0x3f : MOST;
    }
  }

  /** A part of a request. Immutable. */
  private sealed interface Node {
    void write(ByteBuf out, int person, long stamp, long operation);
  }

  /** Octets that are the same in every request. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Literal(byte[] bytes) implements Node {
    @Override
    public void write(ByteBuf out, int person, long stamp, long operation) {
      out.writeBytes(bytes);
    }
  }

  private record Inserted(Placeholder text) implements Node {
    @Override
    public void write(ByteBuf out, int person, long stamp, long operation) {
      text.write(out, person, operation);
    }
  }

  private record Stamp() implements Node {
    @Override
    public void write(ByteBuf out, int person, long stamp, long operation) {
      digits(out, stamp, RequestTemplate.STAMP_DIGITS);
    }
  }

  /** An element whose length is known once its content is written. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Element(byte tag, Node[] parts) implements Node {
    @Override
    public void write(ByteBuf out, int person, long stamp, long operation) {
      out.writeByte(tag).writeByte(0x83).writeMedium(0);
      int content = out.writerIndex();
      for (Node part : parts) {
        part.write(out, person, stamp, operation);
      }
      out.setMedium(content - 3, out.writerIndex() - content);
    }
  }

  /**
   * Appends a whole number in decimal digits.
   *
   * @param width the least number of digits, leading zeros included
   */
  public static void digits(ByteBuf out, long number, int width) {
    long rest = Math.abs(number);
    int digits = 1;
    for (long left = rest; left >= 10 || digits < width; left /= 10) {
      digits++;
    }
    if (number < 0) {
      out.writeByte('-');
    }
    int start = out.writerIndex();
    out.writeZero(digits);
    for (int at = start + digits - 1; at >= start; at--) {
      out.setByte(at, '0' + (int) (rest % 10));
      rest /= 10;
    }
  }

  @Override
  public void write(ByteBuf target, int messageId, int number, long stamp, long operation) {
    int start = target.writerIndex();
    message.write(target, number, stamp, operation);
    target.setMedium(start + MESSAGE_ID_PLACE, messageId);
  }
}
