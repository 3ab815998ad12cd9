package org.nyala.core.operation.sync;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.JournalEntry;
import org.nyala.core.backend.Modifications;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;

/**
 * The entry of a log that tells of a change, as OpenLDAP's {@code slapo-accesslog} writes it, but
 * for the connection and the author of the request, which the journal does not have.
 *
 * <p>Confined to one running operation.
 */
final class LogRecord {
  /** The length of the time at the beginning of a change's number, to microseconds. */
  private static final int TIME_LENGTH = 21;

  private final Schema schema;
  private final Entry entry;

  private LogRecord(Schema schema, Entry entry) {
    this.schema = schema;
    this.entry = entry;
  }

  /**
   * Makes the entry of a change.
   *
   * @param base the name of the log
   */
  static VirtualEntry of(Schema schema, Dn base, JournalEntry change, Modifications modifications) {
    String start = start(change.csn());
    LogRecord record = new LogRecord(schema, new Entry(name(schema, start).under(base)));
    record.addFrame(change, start);
    record.add("reqDN", modifications.name());
    AttributeType reqMod = schema.attributeType("reqMod");
    if (reqMod != null) {
      AttributeDescription description = AttributeDescription.of(reqMod);
      modifications.values().forEach(value -> record.entry.add(description, value));
    }
    record.addRename(modifications);
    return VirtualEntry.of(record.entry);
  }

  /** Returns the identifier of the entry: the number of the change. */
  static UUID uuid(Csn csn) {
    return new UUID(csn.micros(), csn.parts());
  }

  private void addFrame(JournalEntry change, String start) {
    add("objectClass", objectClass(change.kind()));
    add("structuralObjectClass", objectClass(change.kind()));
    add("reqStart", start);
    add("reqEnd", start);
    add("reqType", type(change.kind()));
    add("reqResult", "0");
    add("reqEntryUUID", change.entryUuid().toString());
    add("entryUUID", uuid(change.csn()).toString());
    add("entryCSN", change.csn().toString());
  }

  private void addRename(Modifications modifications) {
    String newRdn = modifications.newRdn();
    if (newRdn == null) {
      return;
    }
    add("reqNewRDN", newRdn);
    add("reqDeleteOldRDN", modifications.deletesOldRdn() ? "TRUE" : "FALSE");
    String superior = modifications.newSuperior();
    if (superior != null) {
      add("reqNewSuperior", superior);
    }
    add("reqNewDN", newName(modifications.name(), newRdn, superior));
  }

  private String newName(String name, String newRdn, @Nullable String superior) {
    String above = superior == null ? parse(schema, name).parent().toString() : superior;
    return above.isEmpty() ? newRdn : newRdn + "," + above;
  }

  private void add(String name, String value) {
    AttributeType type = schema.attributeType(name);
    if (type != null) {
      entry.add(AttributeDescription.of(type), value.getBytes(StandardCharsets.UTF_8));
    }
  }

  /** Returns the time of a change with its counts, which no other change of the server has. */
  static String start(Csn csn) {
    String time = csn.toString().substring(0, TIME_LENGTH);
    String count = csn.count() == 0 ? "" : String.format(Locale.ROOT, "%08d", csn.count());
    return csn.modification() == 0
        ? time + count + "Z"
        : String.format(Locale.ROOT, "%s%08d%08dZ", time, csn.count(), csn.modification());
  }

  private static Dn name(Schema schema, String start) {
    return parse(schema, "reqStart=" + start);
  }

  private static Dn parse(Schema schema, String name) {
    try {
      return DnParser.parse(schema, name);
    } catch (InvalidDnException e) {
      throw new IllegalStateException(name + " was the name of an entry", e);
    }
  }

  private static String objectClass(JournalEntry.Kind kind) {
    return switch (kind) {
      case ADD -> "auditAdd";
      case MODIFY -> "auditModify";
      case DELETE -> "auditDelete";
      case RENAME -> "auditModRDN";
    };
  }

  private static String type(JournalEntry.Kind kind) {
    return switch (kind) {
      case ADD -> "add";
      case MODIFY -> "modify";
      case DELETE -> "delete";
      case RENAME -> "modrdn";
    };
  }
}
