package org.nyala.lmdb.format;

import org.nyala.core.entry.EntryRecord;
import org.nyala.core.schema.ClassSet;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;

/** The flags of {@link EntryRecord} that follow from the object classes of an entry. */
public final class EntryFlags {
  private EntryFlags() {}

  /** Returns the flags of an entry of these classes, including the classes that they extend. */
  public static int of(Schema schema, ClassSet classes) {
    return (has(schema, classes, "referral") ? EntryRecord.REFERRAL : 0)
        | (has(schema, classes, "alias") ? EntryRecord.ALIAS : 0)
        | (has(schema, classes, "subentry") ? EntryRecord.SUBENTRY : 0);
  }

  private static boolean has(Schema schema, ClassSet classes, String name) {
    ObjectClass wanted = schema.objectClass(name);
    return wanted != null && classes.classes().contains(wanted);
  }
}
