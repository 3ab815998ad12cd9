package org.nyala.core.update;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;

/**
 * The attributes that the server itself writes into the entries that it changes: their creator and
 * last modifier, the times, and their permanent identifiers (RFC 4512, section 3.4; RFC 4530). An
 * attribute that the schema does not know is left out.
 *
 * <p>Immutable.
 */
public final class OperationalAttributes {
  /**
   * The author and the time of a change to an entry.
   *
   * <p>Immutable.
   *
   * @param csn the change sequence number of the change
   * @param timestamp the time as generalizedTime
   * @param writer the name of the requester
   */
  public record Stamp(String csn, String timestamp, Dn writer) {
    /** The stamp of the change that is about to be applied. */
    public static Stamp next(UpdateContext context, Dn writer) {
      return new Stamp(context.nextCsn(), context.clock().timestamp(), writer);
    }
  }

  private final @Nullable AttributeDescription structuralObjectClass;
  private final @Nullable AttributeDescription entryUuid;
  private final @Nullable AttributeDescription creatorsName;
  private final @Nullable AttributeDescription createTimestamp;
  private final @Nullable AttributeDescription entryCsn;
  private final @Nullable AttributeDescription modifiersName;
  private final @Nullable AttributeDescription modifyTimestamp;

  /** Finds the attributes in a schema. */
  public OperationalAttributes(Schema schema) {
    structuralObjectClass = find(schema, "2.5.21.9");
    entryUuid = find(schema, "1.3.6.1.1.16.4");
    creatorsName = find(schema, "2.5.18.3");
    createTimestamp = find(schema, "2.5.18.1");
    entryCsn = find(schema, "1.3.6.1.4.1.4203.666.1.7");
    modifiersName = find(schema, "2.5.18.4");
    modifyTimestamp = find(schema, "2.5.18.2");
  }

  private static @Nullable AttributeDescription find(Schema schema, String oid) {
    AttributeType type = schema.attributeType(oid);
    return type == null ? null : AttributeDescription.of(type);
  }

  /**
   * Completes a new entry; attributes that it has already, which a client may set only with relaxed
   * rules, stay.
   *
   * @param structural its structural object class
   * @param uuid its permanent identifier
   */
  public void complete(Entry entry, ObjectClass structural, UUID uuid, Stamp stamp) {
    byte[] writer = stamp.writer().raw();
    byte[] time = bytes(stamp.timestamp());
    addMissing(entry, structuralObjectClass, bytes(structural.name()));
    addMissing(entry, entryUuid, bytes(uuid.toString()));
    addMissing(entry, creatorsName, writer);
    addMissing(entry, createTimestamp, time);
    addMissing(entry, entryCsn, bytes(stamp.csn()));
    addMissing(entry, modifiersName, writer);
    addMissing(entry, modifyTimestamp, time);
  }

  private static void addMissing(
      Entry entry, @Nullable AttributeDescription description, byte[] value) {
    if (description != null && entry.values(description) == null) {
      entry.add(description, value);
    }
  }

  /**
   * Returns the changes of an entry with those to the operational attributes, except for attributes
   * that are among them already.
   */
  public List<AttributeChange> stamped(List<AttributeChange> changes, Stamp stamp) {
    List<AttributeChange> all = new ArrayList<>(changes.size() + 3);
    all.addAll(changes);
    replaceMissing(all, entryCsn, bytes(stamp.csn()));
    replaceMissing(all, modifiersName, stamp.writer().raw());
    replaceMissing(all, modifyTimestamp, bytes(stamp.timestamp()));
    return all;
  }

  /** Returns whether an attribute is written with every change of an entry. */
  public boolean isStamp(AttributeDescription description) {
    return description.equals(entryCsn)
        || description.equals(modifiersName)
        || description.equals(modifyTimestamp);
  }

  /** Returns the change sequence number that the entry has after a change; null if it is kept. */
  byte @Nullable [] csn(ResolvedChange change) {
    return switch (change) {
      case ResolvedChange.Add add -> {
        List<byte[]> values = entryCsn == null ? null : add.entry().values(entryCsn);
        yield values == null || values.isEmpty() ? null : values.getFirst();
      }
      case ResolvedChange.Modify modify -> csn(modify.changes());
      case ResolvedChange.Rename rename -> csn(rename.changes());
      case ResolvedChange.Delete _ -> null;
    };
  }

  private byte @Nullable [] csn(List<AttributeChange> changes) {
    for (AttributeChange change : changes) {
      if (!change.description().equals(entryCsn)) {
        continue;
      }
      List<byte[]> values =
          switch (change) {
            case AttributeChange.Replaced replaced -> replaced.values();
            case AttributeChange.Updated updated -> updated.added();
          };
      return values.isEmpty() ? null : values.getFirst();
    }
    return null;
  }

  /**
   * Returns the changes of an entry with its change sequence number alone, as nobody has modified
   * what the entry says.
   */
  public List<AttributeChange> sequenced(List<AttributeChange> changes, String csn) {
    List<AttributeChange> all = new ArrayList<>(changes);
    replaceMissing(all, entryCsn, bytes(csn));
    return all;
  }

  /** The changes of an entry with the one that follows from another structural object class. */
  public List<AttributeChange> restructured(List<AttributeChange> changes, ObjectClass structural) {
    List<AttributeChange> all = new ArrayList<>(changes);
    replaceMissing(all, structuralObjectClass, bytes(structural.name()));
    return all;
  }

  private static void replaceMissing(
      List<AttributeChange> changes, @Nullable AttributeDescription description, byte[] value) {
    if (description == null) {
      return;
    }
    for (AttributeChange change : changes) {
      if (change.description().equals(description)) {
        return;
      }
    }
    changes.add(new AttributeChange.Replaced(description, List.of(value)));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
