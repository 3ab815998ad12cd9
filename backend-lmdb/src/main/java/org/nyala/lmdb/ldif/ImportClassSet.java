package org.nyala.lmdb.ldif;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.NamingValue;
import org.nyala.core.entry.EntryVerdicts;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ClassSet;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.format.EntryFlags;

/**
 * The attributes that the object classes of an entry require and allow (RFC 4512, section 2.4),
 * worked out once for all entries of the same classes.
 *
 * <p>Confined to one running operation.
 */
final class ImportClassSet {
  private static final byte UNKNOWN = 0;
  private static final byte ALLOWED = 1;
  private static final byte FORBIDDEN = 2;

  private final Schema schema;
  private final ClassSet classes;
  private final boolean hasForms;
  private final AttributeType[] must;
  private final byte[] structuralName;
  private final int flags;
  private final List<byte[]> spelled;
  private byte[] verdicts = new byte[64];

  /** Works out the classes that the values name. */
  ImportClassSet(Schema schema, List<byte[]> values) {
    this.schema = schema;
    classes = schema.classSet(values);
    must = classes.must().toArray(AttributeType[]::new);
    ObjectClass structural = classes.structural();
    structuralName =
        structural == null ? new byte[0] : structural.name().getBytes(StandardCharsets.UTF_8);
    hasForms = structural != null && !schema.structureRules(structural).isEmpty();
    flags = EntryFlags.of(schema, classes);
    spelled = values.stream().map(schema::spelledClass).toList();
  }

  /** Returns the reason why no entry may have these classes; null if one may. */
  @Nullable String error() {
    return classes.violation().isEmpty() ? null : classes.violation();
  }

  /** Returns the values as the schema spells them, in the order in which they were given. */
  List<byte[]> spelled() {
    return spelled;
  }

  /** Returns the attributes that must be there. Not to be written to. */
  AttributeType[] must() {
    return must;
  }

  /** Returns the flags of {@code EntryRecord} that follow from the classes. */
  int flags() {
    return flags;
  }

  /** Returns the name of the most specific structural class. Not to be written to. */
  byte[] structuralName() {
    return structuralName;
  }

  /** Returns the reason why an entry lacks attributes that it must have. */
  @Nullable String missing(Predicate<AttributeType> isPresent) {
    return classes.missing(isPresent);
  }

  /** Returns the reason why no entry has the attribute; null if one may. */
  @Nullable String refusal(ImportAttribute attribute) {
    return classes.refusal(attribute.type);
  }

  /** Returns the reason why no entry has a name of these attributes; null if one may. */
  @Nullable String refusal(List<NamingValue> rdn) {
    ObjectClass structural = classes.structural();
    if (!hasForms || structural == null) {
      return null;
    }
    Set<AttributeType> types = new HashSet<>();
    rdn.forEach(naming -> types.add(naming.type()));
    return EntryVerdicts.form(schema, structural, types);
  }

  /** Returns whether an entry may have the attribute. */
  boolean allows(ImportAttribute attribute) {
    int id = attribute.plainId;
    if (id >= verdicts.length) {
      verdicts = Arrays.copyOf(verdicts, id * 2);
    }
    if (verdicts[id] == UNKNOWN) {
      verdicts[id] = classes.refusal(attribute.type) == null ? ALLOWED : FORBIDDEN;
    }
    return verdicts[id] == ALLOWED;
  }
}
