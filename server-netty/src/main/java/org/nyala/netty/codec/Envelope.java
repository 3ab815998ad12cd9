package org.nyala.netty.codec;

import static org.nyala.netty.codec.MalformedRequestException.structure;

import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.Ber;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.ElementBudget;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.RequestControl;

/**
 * The LDAPMessage around an operation (RFC 4511, section 4.1.1): message id, controls, and the
 * place of the operation among the bytes.
 *
 * <p>Confined to one thread at a time; used again for each message. Hot.
 */
final class Envelope {
  private static final byte[] NOTHING = {};

  private final ElementBudget budget;
  private final BerReader in;
  private final ServerLimits limits;
  private byte[] bytes = NOTHING;
  private int idStart;
  private int operationStart;
  private int operationEnd;
  private int messageId;
  private int tag;
  private List<RequestControl> controls = List.of();
  private final BerReader.Element<RequestControl> each = _ -> control();
  private @Nullable ElementBudget ofValues;
  private int elementsLeft;

  /** Creates an envelope of messages within {@code limits}. */
  Envelope(ServerLimits limits) {
    this.budget = new ElementBudget(0);
    this.in = new BerReader(budget);
    this.limits = limits;
  }

  /** Returns the reader of the message, which readers of its operation share. */
  BerReader reader() {
    return in;
  }

  /**
   * Reads the message in {@code source[0..length)}. The message id and the tag are known as far as
   * it came, if it fails.
   *
   * @param elements the most elements of the message and of the opaque values in it
   */
  void read(byte[] source, int length, int elements) throws InvalidBerException {
    bytes = source;
    budget.renew(elements);
    ofValues = null;
    messageId = 0;
    tag = LdapTags.NONE;
    controls = List.of();
    in.reset(source, 0, length);
    in.enter(LdapTags.SEQUENCE);
    idStart = in.position();
    int id = in.integer(LdapTags.INTEGER);
    if (id < 1) {
      throw structure("the message id is not positive");
    }
    messageId = id;
    int next = in.nextTag();
    if (!LdapTags.isRequest(next)) {
      throw structure("the message is not a request");
    }
    operationStart = in.position();
    in.skip(next);
    tag = next;
    operationEnd = in.position();
    controls = in.nextTag() == LdapTags.CONTROLS ? readControls() : List.of();
    in.skipExtensions();
    if (in.position() != length) {
      throw structure("the message is followed by other bytes");
    }
    elementsLeft = budget.left();
  }

  private List<RequestControl> readControls() throws InvalidBerException {
    int outer = in.enter(LdapTags.CONTROLS);
    List<RequestControl> read = in.list(limits.requests().controls(), "controls", each);
    in.leave(outer);
    return read;
  }

  private RequestControl control() throws InvalidBerException {
    int control = in.enter(LdapTags.SEQUENCE);
    String oid = in.text(LdapTags.OCTET_STRING);
    boolean critical = in.nextTag() == LdapTags.BOOLEAN && in.bool(LdapTags.BOOLEAN);
    byte[] value = in.nextTag() == LdapTags.OCTET_STRING ? in.octets(LdapTags.OCTET_STRING) : null;
    in.leaveExtensible(control);
    return new RequestControl(oid, critical, value, budgetOf(value));
  }

  /**
   * Returns the part of an opaque value of the message in the budget of its elements; null without
   * a value.
   */
  @Nullable ElementBudget budgetOf(byte @Nullable [] value) {
    if (value == null) {
      return null;
    }
    ElementBudget known = ofValues;
    if (known == null) {
      known = new ElementBudget(0);
      ofValues = known;
    }
    return known.part();
  }

  /** Leaves to the values of the message, which is decoded, the elements that it did not need. */
  void settle() {
    if (ofValues != null) {
      ofValues.renew(budget.left());
    }
  }

  /**
   * Moves the reader before the operation, behind which it is at its end. An operation that is read
   * once more takes no more elements.
   */
  void moveToOperation() {
    budget.renew(elementsLeft);
    in.reset(bytes, operationStart, operationEnd);
  }

  /** Returns the length in bytes of the operation. */
  int operationLength() {
    return operationEnd - operationStart;
  }

  /** Returns the bytes of which the message is a part. Borrowed until the next message. */
  byte[] bytes() {
    return bytes;
  }

  /**
   * Writes the header of a message without controls before its id and its operation: it is no
   * longer than what it overwrites. Returns that message. The operation stays as it is.
   */
  ByteBuffer withoutControls() {
    int length = operationEnd - idStart;
    int start = idStart - Ber.headerLength(length);
    Ber.header(ByteBuffer.wrap(bytes), start, LdapTags.SEQUENCE, length);
    return ByteBuffer.wrap(bytes, start, operationEnd - start);
  }

  /** Returns the message id, or 0 if it could not be read. */
  int messageId() {
    return messageId;
  }

  /** Returns the tag of the operation, or {@link LdapTags#NONE} if it could not be read. */
  int tag() {
    return tag;
  }

  List<RequestControl> controls() {
    return controls;
  }

  /** Forgets the bytes of the message and its controls, which the request has. */
  void release() {
    controls = List.of();
    ofValues = null;
    bytes = NOTHING;
    in.reset(NOTHING, 0, 0);
  }
}
