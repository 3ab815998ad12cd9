package org.nyala.netty.codec;

import java.util.List;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;

/**
 * Reads Add, Delete, Modify, Modify DN and Compare requests (RFC 4511, sections 4.6 to 4.10):
 * attributes and values in their order and with their repeats.
 *
 * <p>Confined to the decoding of one message.
 */
final class ChangeRequestReader {
  private static final int NEW_SUPERIOR = 0x80;

  private final BerReader in;
  private final ServerLimits limits;

  /** Reads with {@code in}, within {@code limits}. */
  ChangeRequestReader(BerReader in, ServerLimits limits) {
    this.in = in;
    this.limits = limits;
  }

  /** Reads the content of an AddRequest. */
  Request.Add add(int messageId, List<RequestControl> controls) throws InvalidBerException {
    String name = name(LdapTags.OCTET_STRING);
    int outer = in.enter(LdapTags.SEQUENCE);
    List<Request.AttributeValues> attributes =
        in.list(most(), "attributes", ChangeRequestReader::attributeValues);
    in.leave(outer);
    in.skipExtensions();
    return new Request.Add(messageId, name, attributes, controls);
  }

  /** Reads a DelRequest, which is a name and nothing else. */
  Request.Delete delete(int messageId, List<RequestControl> controls) throws InvalidBerException {
    return new Request.Delete(messageId, name(LdapTags.DELETE_REQUEST), controls);
  }

  /** Reads the content of a ModifyRequest. */
  Request.Modify modify(int messageId, List<RequestControl> controls) throws InvalidBerException {
    String name = name(LdapTags.OCTET_STRING);
    int outer = in.enter(LdapTags.SEQUENCE);
    List<Request.Change> changes = in.list(most(), "changes", ChangeRequestReader::change);
    in.leave(outer);
    in.skipExtensions();
    return new Request.Modify(messageId, name, changes, controls);
  }

  /** Reads the content of a ModifyDNRequest. */
  Request.ModifyDn modifyDn(int messageId, List<RequestControl> controls)
      throws InvalidBerException {
    String name = name(LdapTags.OCTET_STRING);
    String newRdn = name(LdapTags.OCTET_STRING);
    boolean deleteOldRdn = in.bool(LdapTags.BOOLEAN);
    String newSuperior = in.nextTag() == NEW_SUPERIOR ? name(NEW_SUPERIOR) : null;
    in.skipExtensions();
    return new Request.ModifyDn(messageId, name, newRdn, deleteOldRdn, newSuperior, controls);
  }

  /** Reads the content of a CompareRequest. */
  Request.Compare compare(int messageId, List<RequestControl> controls) throws InvalidBerException {
    String name = name(LdapTags.OCTET_STRING);
    int outer = in.enter(LdapTags.SEQUENCE);
    String attribute = in.text(LdapTags.OCTET_STRING);
    byte[] value = in.octets(LdapTags.OCTET_STRING);
    in.leaveExtensible(outer);
    in.skipExtensions();
    return new Request.Compare(messageId, name, attribute, value, controls);
  }

  private int most() {
    return limits.memory().requestElements();
  }

  private static Request.Change change(BerReader in) throws InvalidBerException {
    int change = in.enter(LdapTags.SEQUENCE);
    int kind = in.integer(LdapTags.ENUMERATED);
    Request.AttributeValues attribute = attributeValues(in);
    in.leaveExtensible(change);
    return new Request.Change(kind, attribute);
  }

  /** Reads an attribute with its values, in their order and with their repeats. */
  private static Request.AttributeValues attributeValues(BerReader in) throws InvalidBerException {
    int attribute = in.enter(LdapTags.SEQUENCE);
    String description = in.text(LdapTags.OCTET_STRING);
    int set = in.enter(LdapTags.SET);
    // As many as the request has elements, which are counted as they are read.
    List<byte[]> values = in.list(Integer.MAX_VALUE, "values", BerReader::octets);
    in.leave(set);
    in.leaveExtensible(attribute);
    return new Request.AttributeValues(description, values);
  }

  private String name(int tag) throws InvalidBerException {
    return DirectReader.name(in, tag);
  }
}
