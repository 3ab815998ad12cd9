package org.nyala.netty.codec;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
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

  /** Reads with {@code in}. */
  ChangeRequestReader(BerReader in) {
    this.in = in;
  }

  /** Reads the content of an AddRequest. */
  Request.Add add(int messageId, List<RequestControl> controls) throws InvalidBerException {
    String name = name(LdapTags.OCTET_STRING);
    int outer = in.enter(LdapTags.SEQUENCE);
    List<Request.AttributeValues> attributes = new ArrayList<>();
    while (in.hasNext()) {
      attributes.add(attributeValues(in));
    }
    in.leave(outer);
    in.skipExtensions();
    return new Request.Add(messageId, name, List.copyOf(attributes), controls);
  }

  /** Reads a DelRequest, which is a name and nothing else. */
  Request.Delete delete(int messageId, List<RequestControl> controls) throws InvalidBerException {
    return new Request.Delete(messageId, name(LdapTags.DELETE_REQUEST), controls);
  }

  /** Reads the content of a ModifyRequest. */
  Request.Modify modify(int messageId, List<RequestControl> controls) throws InvalidBerException {
    String name = name(LdapTags.OCTET_STRING);
    int outer = in.enter(LdapTags.SEQUENCE);
    List<Request.Change> changes = new ArrayList<>();
    while (in.hasNext()) {
      int change = in.enter(LdapTags.SEQUENCE);
      int kind = in.integer(LdapTags.ENUMERATED);
      changes.add(new Request.Change(kind, attributeValues(in)));
      in.leaveExtensible(change);
    }
    in.leave(outer);
    in.skipExtensions();
    return new Request.Modify(messageId, name, List.copyOf(changes), controls);
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

  /** Reads an attribute with its values, in their order and with their repeats. */
  private static Request.AttributeValues attributeValues(BerReader in) throws InvalidBerException {
    int attribute = in.enter(LdapTags.SEQUENCE);
    String description = in.text(LdapTags.OCTET_STRING);
    int set = in.enter(LdapTags.SET);
    List<byte[]> values = new ArrayList<>();
    while (in.hasNext()) {
      values.add(in.octets(LdapTags.OCTET_STRING));
    }
    in.leave(set);
    in.leaveExtensible(attribute);
    return new Request.AttributeValues(description, List.copyOf(values));
  }

  private String name(int tag) throws InvalidBerException {
    return DirectReader.name(in, tag);
  }
}
