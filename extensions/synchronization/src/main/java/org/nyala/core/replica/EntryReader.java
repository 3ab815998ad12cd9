package org.nyala.core.replica;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.message.Request;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.replica.ReplicaException.Kind;
import org.nyala.core.rules.ValueSet;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * Reads entries as a provider sends them: takes its operational attributes as they are, and leaves
 * out those that this server computes. An attribute that the schema does not know is an error: a
 * copy that silently loses attributes is none. So is an object class: a store that has one is not
 * opened again.
 *
 * <p>Immutable.
 */
final class EntryReader {
  private static final String ENTRY_UUID_OID = "1.3.6.1.1.16.4";
  private static final String OBJECT_CLASS_OID = "2.5.4.0";

  private static final int LONGEST_NAME = 1 << 16;
  private static final int MOST_RDNS = 1 << 10;

  private final OperationContext directory;
  private final Schema schema;
  private final Dn suffix;

  EntryReader(OperationContext directory, Dn suffix) {
    this.directory = directory;
    this.schema = directory.schema();
    this.suffix = suffix;
  }

  Schema schema() {
    return schema;
  }

  /**
   * Reads a name.
   *
   * @throws ReplicaException if it is none, or not one of the naming context
   */
  Dn name(String text) throws ReplicaException {
    try {
      Dn name =
          DnParser.parse(schema, text.getBytes(StandardCharsets.UTF_8), LONGEST_NAME, MOST_RDNS);
      if (name.isWithin(suffix)) {
        return name;
      }
    } catch (InvalidDnException e) {
      throw new ReplicaException(
          Kind.UNUSABLE, "the provider has an entry named '" + text + "': " + e.getMessage());
    }
    throw new ReplicaException(
        Kind.AGAIN, "the provider sends the entry " + text + ", which is not below " + suffix);
  }

  /**
   * Reads an entry.
   *
   * @throws ReplicaException if it has no name of the naming context, or an unknown attribute or
   *     object class
   */
  Placement read(SyncMessage.EntryState message) throws ReplicaException {
    Dn name = name(message.dn());
    Map<AttributeDescription, ValueSet> sets = new LinkedHashMap<>();
    boolean hasClasses = false;
    for (Request.AttributeValues each : message.attributes()) {
      AttributeDescription description = description(each, message);
      if (description == null) {
        continue;
      }
      if (description.type().oid().equals(OBJECT_CLASS_OID)) {
        hasClasses = true;
        requireKnown(each.values(), message);
      }
      ValueSet set = sets.computeIfAbsent(description, absent -> new ValueSet(absent.type()));
      each.values().forEach(set::add);
    }
    if (!hasClasses) {
      throw new ReplicaException(
          Kind.UNUSABLE,
          "the provider sends the entry "
              + message.dn()
              + " without objectClass: the identity that this server binds as must read"
              + " everything");
    }
    Entry entry = new Entry(name);
    sets.forEach(
        (description, set) -> set.toList().forEach(value -> entry.add(description, value)));
    nameForEver(entry, message);
    return new Placement(message.entryUuid(), name, entry, message, schema, message.bytes());
  }

  /** Returns the description of an attribute that is stored here; null if it is computed. */
  private @Nullable AttributeDescription description(
      Request.AttributeValues attribute, SyncMessage.EntryState message) throws ReplicaException {
    if (AttributeProviders.isOfEveryServer(attribute.attribute())) {
      return null;
    }
    AttributeDescription description = AttributeDescription.parse(schema, attribute.attribute());
    if (description == null) {
      throw unknown("attribute", attribute.attribute(), message);
    }
    boolean isStored =
        directory.reading().isStored(description.type()) && !attribute.values().isEmpty();
    return isStored ? description : null;
  }

  private void requireKnown(List<byte[]> classes, SyncMessage.EntryState message)
      throws ReplicaException {
    for (byte[] each : classes) {
      String name = new String(each, StandardCharsets.UTF_8);
      if (schema.objectClass(name) == null) {
        throw unknown("object class", name, message);
      }
    }
  }

  private static ReplicaException unknown(
      String what, String name, SyncMessage.EntryState message) {
    return new ReplicaException(
        Kind.UNUSABLE,
        "the schema does not know the "
            + what
            + " '"
            + name
            + "' of the entry "
            + message.dn()
            + ": add the provider's definition of it");
  }

  /** The identifier of the control counts, whether the provider shows it as an attribute or not. */
  private void nameForEver(Entry entry, SyncMessage.EntryState message) {
    AttributeType type = schema.attributeType(ENTRY_UUID_OID);
    if (type != null) {
      AttributeDescription description = AttributeDescription.of(type);
      entry.remove(description);
      entry.add(description, message.entryUuid().toString().getBytes(StandardCharsets.US_ASCII));
    }
  }
}
