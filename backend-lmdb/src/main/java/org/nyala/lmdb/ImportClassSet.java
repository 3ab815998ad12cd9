package org.nyala.lmdb;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;

/**
 * What the object classes of an entry ask for and allow (RFC 4512, section 2.4), worked out once
 * for all entries of the same classes.
 *
 * <p>Confined to one running operation.
 */
final class ImportClassSet {
  private static final byte UNKNOWN = 0;
  private static final byte ALLOWED = 1;
  private static final byte FORBIDDEN = 2;

  private final List<AttributeType> must = new ArrayList<>();
  private final Set<AttributeType> may = new LinkedHashSet<>();
  private @Nullable String error;
  private byte[] structuralName = {};
  private boolean isExtensible;
  private int flags;
  private byte[] verdicts = new byte[64];

  /** Works out the classes that the values name. */
  ImportClassSet(Schema schema, List<String> names) {
    List<ObjectClass> classes = new ArrayList<>();
    for (String name : names) {
      ObjectClass found = schema.objectClass(name);
      if (found == null) {
        error = "unknown object class \"" + name + '"';
        return;
      }
      if (classes.contains(found)) {
        error = "object class " + name + " twice";
        return;
      }
      classes.add(found);
    }
    if (findStructural(classes)) {
      collect(schema, classes);
    }
  }

  private boolean findStructural(List<ObjectClass> classes) {
    ObjectClass structural = null;
    for (ObjectClass each : classes) {
      if (each.kind() != ObjectClass.Kind.STRUCTURAL) {
        continue;
      }
      if (structural == null || each.isOrExtends(structural)) {
        structural = each;
      } else if (!structural.isOrExtends(each)) {
        error = "two structural object classes: " + structural + " and " + each;
        return false;
      }
    }
    if (structural == null) {
      error = "no structural object class";
      return false;
    }
    structuralName = structural.name().getBytes(StandardCharsets.UTF_8);
    return true;
  }

  private void collect(Schema schema, List<ObjectClass> classes) {
    Set<ObjectClass> all = new LinkedHashSet<>();
    for (ObjectClass each : classes) {
      addWithSuperiors(each, all);
    }
    Set<AttributeType> required = new LinkedHashSet<>();
    for (ObjectClass each : all) {
      required.addAll(each.must());
      may.addAll(each.may());
    }
    must.addAll(required);
    may.addAll(required);
    isExtensible = has(schema, all, "extensibleObject");
    flags =
        (has(schema, all, "referral") ? EntryRecord.REFERRAL : 0)
            | (has(schema, all, "alias") ? EntryRecord.ALIAS : 0)
            | (has(schema, all, "subentry") ? EntryRecord.SUBENTRY : 0);
  }

  private static void addWithSuperiors(ObjectClass each, Set<ObjectClass> all) {
    if (all.add(each)) {
      each.superiors().forEach(superior -> addWithSuperiors(superior, all));
    }
  }

  private static boolean has(Schema schema, Set<ObjectClass> all, String name) {
    ObjectClass wanted = schema.objectClass(name);
    return wanted != null && all.contains(wanted);
  }

  /** Why no entry may have these classes; null when one may. */
  @Nullable String error() {
    return error;
  }

  /** The attributes that must be there. */
  List<AttributeType> must() {
    return must;
  }

  /** The flags of {@code EntryRecord} that the classes stand for. */
  int flags() {
    return flags;
  }

  /** The name of the most specific structural class. Not to be written to. */
  byte[] structuralName() {
    return structuralName;
  }

  /** Whether an entry may have the attribute. */
  boolean allows(ImportAttribute attribute) {
    int id = attribute.plainId;
    if (id >= verdicts.length) {
      verdicts = Arrays.copyOf(verdicts, id * 2);
    }
    if (verdicts[id] == UNKNOWN) {
      boolean allowed = isExtensible || attribute.isOperational || may.contains(attribute.type);
      verdicts[id] = allowed ? ALLOWED : FORBIDDEN;
    }
    return verdicts[id] == ALLOWED;
  }
}
