package org.nyala.cluster.forward;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.ElementBudget;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;

/**
 * Requests that change entries in the form that they have between client and server (RFC 4511,
 * section 4): the {@code LDAPMessage} of an add, delete, modify, modify DN or extended request.
 *
 * <p>Stateless. What is read was read from the wire before, by the member that passes it on.
 */
final class RequestForm {
  private static final int MODIFY = 0x66;
  private static final int ADD = 0x68;
  private static final int DELETE = 0x4a;
  private static final int MODIFY_DN = 0x6c;
  private static final int NEW_SUPERIOR = 0x80;
  private static final int EXTENDED = 0x77;
  private static final int EXTENDED_OID = 0x80;
  private static final int EXTENDED_VALUE = 0x81;
  private static final int CONTROLS = 0xa0;

  /** The memory of a decoded element: an array or a text, and its places in lists. */
  private static final long ELEMENT_BYTES = 48;

  /** The tag and the length around an element, at most. */
  private static final int HEADER_BYTES = 6;

  private static final int CONSTRUCTED = 0x20;

  /** The elements around a value of a modify: message, operation, changes, change, and so on. */
  private static final int MOST_DEPTH = 8;

  private RequestForm() {}

  /** Returns a number of bytes that the form of a request does not exceed. */
  static long mostBytes(Request request) {
    long bytes = 4L * HEADER_BYTES;
    for (RequestControl control : request.controls()) {
      byte[] value = control.value();
      bytes += 4L * HEADER_BYTES + utf8(control.oid()) + (value == null ? 0 : value.length);
    }
    return bytes
        + switch (request) {
          case Request.Add add -> utf8(add.name()) + ofAttributes(add.attributes());
          case Request.Delete delete -> utf8(delete.name());
          case Request.Modify modify ->
              utf8(modify.name())
                  + ofAttributes(modify.changes().stream().map(Request.Change::attribute).toList());
          case Request.ModifyDn modifyDn ->
              utf8(modifyDn.name()) + utf8(modifyDn.newRdn()) + utf8(modifyDn.newSuperior());
          case Request.Extended extended -> {
            byte[] value = extended.value();
            yield utf8(extended.oid()) + (value == null ? 0 : value.length + HEADER_BYTES);
          }
          case Request.Bind _,
              Request.Unbind _,
              Request.Search _,
              Request.Compare _,
              Request.Abandon _ ->
              throw new IllegalArgumentException("no change: " + request.type());
        };
  }

  private static long ofAttributes(List<Request.AttributeValues> attributes) {
    long bytes = HEADER_BYTES;
    for (Request.AttributeValues attribute : attributes) {
      bytes += 4L * HEADER_BYTES + utf8(attribute.attribute());
      for (byte[] value : attribute.values()) {
        bytes += HEADER_BYTES + value.length;
      }
    }
    return bytes;
  }

  /** A character of a text is three bytes of UTF-8 at most, and a pair of them four. */
  private static long utf8(@Nullable String text) {
    return text == null ? 0 : HEADER_BYTES + 3L * text.length();
  }

  /** Returns the form of a request. */
  static byte[] write(Request request) {
    BerWriter message = new BerWriter().integer(request.messageId());
    switch (request) {
      case Request.Add add ->
          message.constructed(
              ADD, new BerWriter().text(add.name()).sequence(attributes(add.attributes())));
      case Request.Delete delete -> message.text(DELETE, delete.name());
      case Request.Modify modify -> {
        BerWriter changes = new BerWriter();
        for (Request.Change change : modify.changes()) {
          changes.sequence(
              new BerWriter().enumerated(change.kind()).sequence(attribute(change.attribute())));
        }
        message.constructed(MODIFY, new BerWriter().text(modify.name()).sequence(changes));
      }
      case Request.ModifyDn modifyDn -> {
        BerWriter content =
            new BerWriter()
                .text(modifyDn.name())
                .text(modifyDn.newRdn())
                .bool(modifyDn.deleteOldRdn());
        String superior = modifyDn.newSuperior();
        if (superior != null) {
          content.text(NEW_SUPERIOR, superior);
        }
        message.constructed(MODIFY_DN, content);
      }
      case Request.Extended extended -> {
        BerWriter content = new BerWriter().text(EXTENDED_OID, extended.oid());
        byte[] value = extended.value();
        if (value != null) {
          content.octets(EXTENDED_VALUE, value);
        }
        message.constructed(EXTENDED, content);
      }
      case Request.Bind _,
          Request.Unbind _,
          Request.Search _,
          Request.Compare _,
          Request.Abandon _ ->
          throw new IllegalArgumentException("no change: " + request.type());
    }
    if (!request.controls().isEmpty()) {
      message.constructed(CONTROLS, controls(request.controls()));
    }
    return new BerWriter().sequence(message).toByteArray();
  }

  private static BerWriter attributes(List<Request.AttributeValues> attributes) {
    BerWriter writer = new BerWriter();
    attributes.forEach(each -> writer.sequence(attribute(each)));
    return writer;
  }

  private static BerWriter attribute(Request.AttributeValues attribute) {
    BerWriter values = new BerWriter();
    attribute.values().forEach(values::octets);
    return new BerWriter().text(attribute.attribute()).constructed(BerReader.SET, values);
  }

  private static BerWriter controls(List<RequestControl> controls) {
    BerWriter writer = new BerWriter();
    for (RequestControl control : controls) {
      BerWriter content = new BerWriter().text(control.oid()).bool(control.critical());
      byte[] value = control.value();
      if (value != null) {
        content.octets(value);
      }
      writer.sequence(content);
    }
    return writer;
  }

  /**
   * Returns the memory that a request takes once it is read: its bytes, and the objects around each
   * element. What is in values of controls and of extended requests is read later, and counts.
   * Allocates nothing.
   *
   * @throws InvalidBerException if it is no BER
   */
  static long footprint(byte[] form) throws InvalidBerException {
    return form.length + elements(form, 0, form.length, 0) * ELEMENT_BYTES;
  }

  private static long elements(byte[] form, int from, int to, int depth)
      throws InvalidBerException {
    BerReader reader = BerReader.trusted(form);
    reader.reset(form, from, to);
    long count = 0;
    while (reader.hasNext()) {
      int tag = reader.nextTag();
      int length = reader.skip(tag);
      count++;
      boolean isOpaque = tag == EXTENDED_VALUE || tag == CONTROLS || depth == MOST_DEPTH;
      if (isOpaque) {
        // Two bytes are the least that an element takes.
        count += length / 2;
      } else if ((tag & CONSTRUCTED) != 0) {
        count += elements(form, reader.position() - length, reader.position(), depth + 1);
      }
    }
    return count;
  }

  /**
   * Reads a request.
   *
   * @throws InvalidBerException if the bytes are none of these requests
   */
  static Request read(byte[] form) throws InvalidBerException {
    BerReader reader = new BerReader(form, new ElementBudget(form.length));
    int whole = reader.enter(BerReader.SEQUENCE);
    int messageId = reader.integer();
    int tag = reader.nextTag();
    if (tag == DELETE) {
      String name = reader.text(DELETE);
      return ended(new Request.Delete(messageId, name, controls(reader)), reader, whole);
    }
    int operation = reader.enter(tag);
    return switch (tag) {
      case ADD -> {
        String name = reader.text();
        int attributes = reader.enter(BerReader.SEQUENCE);
        List<Request.AttributeValues> all = list(reader, RequestForm::attribute);
        reader.leave(attributes);
        reader.leave(operation);
        yield ended(new Request.Add(messageId, name, all, controls(reader)), reader, whole);
      }
      case MODIFY -> {
        String name = reader.text();
        int changes = reader.enter(BerReader.SEQUENCE);
        List<Request.Change> all = list(reader, RequestForm::change);
        reader.leave(changes);
        reader.leave(operation);
        yield ended(new Request.Modify(messageId, name, all, controls(reader)), reader, whole);
      }
      case MODIFY_DN -> {
        String name = reader.text();
        String rdn = reader.text();
        boolean deletesOld = reader.bool();
        String superior = reader.nextTag() == NEW_SUPERIOR ? reader.text(NEW_SUPERIOR) : null;
        reader.leave(operation);
        yield ended(
            new Request.ModifyDn(messageId, name, rdn, deletesOld, superior, controls(reader)),
            reader,
            whole);
      }
      case EXTENDED -> {
        String oid = reader.text(EXTENDED_OID);
        byte[] value = reader.nextTag() == EXTENDED_VALUE ? reader.octets(EXTENDED_VALUE) : null;
        reader.leave(operation);
        yield ended(new Request.Extended(messageId, oid, value, controls(reader)), reader, whole);
      }
      default -> throw new InvalidBerException("a request that changes nothing");
    };
  }

  private static Request ended(Request request, BerReader reader, int whole)
      throws InvalidBerException {
    reader.leave(whole);
    reader.requireEnd();
    return request;
  }

  private static <T> List<T> list(BerReader reader, BerReader.Element<T> element)
      throws InvalidBerException {
    return reader.list(Integer.MAX_VALUE, "elements", element);
  }

  private static Request.Change change(BerReader reader) throws InvalidBerException {
    int whole = reader.enter(BerReader.SEQUENCE);
    int kind = reader.enumerated();
    Request.Change change = new Request.Change(kind, attribute(reader));
    reader.leave(whole);
    return change;
  }

  private static Request.AttributeValues attribute(BerReader reader) throws InvalidBerException {
    int whole = reader.enter(BerReader.SEQUENCE);
    String name = reader.text();
    int set = reader.enter(BerReader.SET);
    List<byte[]> values = list(reader, BerReader::octets);
    reader.leave(set);
    reader.leave(whole);
    return new Request.AttributeValues(name, values);
  }

  private static List<RequestControl> controls(BerReader reader) throws InvalidBerException {
    if (reader.nextTag() != CONTROLS) {
      return List.of();
    }
    int whole = reader.enter(CONTROLS);
    List<RequestControl> controls = list(reader, RequestForm::control);
    reader.leave(whole);
    return controls;
  }

  private static RequestControl control(BerReader reader) throws InvalidBerException {
    int whole = reader.enter(BerReader.SEQUENCE);
    String oid = reader.text();
    boolean critical = reader.bool();
    byte[] value = reader.hasNext() ? reader.octets() : null;
    reader.leave(whole);
    return new RequestControl(oid, critical, value);
  }
}
