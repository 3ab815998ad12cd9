package org.nyala.lmdb.admin;

import static org.nyala.core.entry.QuotedText.quoted;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.dn.NamingValue;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryVerdicts;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ClassSet;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.Syntax;
import org.nyala.lmdb.env.TxnHandle;
import org.nyala.lmdb.format.StoreMeta;
import org.nyala.lmdb.rejection.RejectionCauses;

/**
 * Checks whether entries conform to the schema in force, as an import of them would: structural
 * class and content rule, required and allowed attributes, options, syntaxes, single values, naming
 * attributes and name forms (RFC 4512, sections 2.4 and 4.1). Faults are counted by cause.
 *
 * <p>Confined to one running operation. Only for records that {@link RecordCheck} accepts. Keeps
 * the causes and the names of their first entries alone.
 */
final class SchemaCheck {
  private static final int DEEPEST = 4096;

  /** The most bytes of a name in a message; what stands above that is left out. */
  private static final int LONGEST_NAME = 1000;

  private final TxnHandle slot;
  private final Schema schema;
  private final AttributeTable table;
  private final int objectClassId;
  private final int structuralId;
  private final RejectionCauses causes = new RejectionCauses();
  private final ValueCursor values = new ValueCursor();
  private final ByteAppender value = new ByteAppender(256);
  private final ByteAppender key = new ByteAppender(Long.BYTES);
  private final EntryView ancestor = new EntryView();

  /** Prepares for the entries of a store. */
  SchemaCheck(TxnHandle slot, Schema schema, StoreMeta meta) {
    this.slot = slot;
    this.schema = schema;
    this.table = meta.attributes();
    this.objectClassId = table.id(AttributeDescription.parse(schema, "objectClass"));
    this.structuralId = table.id(AttributeDescription.parse(schema, "structuralObjectClass"));
  }

  /** Returns a line for each cause: its count, the reason, and the first entries. */
  List<String> faults() {
    return causes.lines();
  }

  void check(EntryView view) {
    ClassSet classes = schema.classSet(classNames(view));
    if (!classes.violation().isEmpty()) {
      fault(view, classes.violation());
    }
    boolean isJudged = classes.violation().isEmpty();
    Set<AttributeType> present = new HashSet<>();
    for (int index = 0; index < view.attributeCount(); index++) {
      AttributeDescription description = table.description(view.attributeId(index));
      present.add(description.type());
      fault(view, description.obstacle(schema.attributeOptions()));
      fault(view, isJudged ? classes.refusal(description.type()) : null);
      checkValues(view, index, description);
    }
    if (isJudged) {
      fault(view, classes.missing(present::contains));
      fault(view, structuralFault(view, classes));
      checkName(view, classes);
    }
  }

  private void fault(EntryView view, @Nullable String reason) {
    if (reason != null) {
      causes.add(reason, () -> quoted(name(view)));
    }
  }

  private List<byte[]> classNames(EntryView view) {
    List<byte[]> names = new ArrayList<>();
    for (int index = 0; index < view.attributeCount(); index++) {
      if (view.attributeId(index) == objectClassId) {
        values.open(view, index);
        while (values.next()) {
          names.add(values.value());
        }
      }
    }
    return names;
  }

  private void checkValues(EntryView view, int index, AttributeDescription description) {
    Syntax.Validator validator = description.type().syntax().validator();
    LargeValues large = view.largeValues(index);
    int count = 0;
    boolean isValid = true;
    if (large == null) {
      values.open(view, index);
    }
    while (large == null ? values.next() : large.next()) {
      count++;
      value.clear();
      if (large == null) {
        value.append(values.buffer(), values.start(), values.length());
      } else {
        value.append(large.buffer(), large.start(), large.length());
      }
      if (isValid && !validator.isValid(value.array(), 0, value.length())) {
        isValid = false;
        fault(view, EntryVerdicts.invalidValue(description, count, value.toByteArray()));
      }
    }
    fault(view, EntryVerdicts.count(description, count, Integer.MAX_VALUE));
  }

  private @Nullable String structuralFault(EntryView view, ClassSet classes) {
    ObjectClass structural = classes.structural();
    for (int index = 0; index < view.attributeCount(); index++) {
      if (view.attributeId(index) == structuralId && structural != null) {
        values.open(view, index);
        String stored =
            values.next() ? new String(values.value(), StandardCharsets.UTF_8) : "nothing";
        return structural.equals(schema.objectClass(stored))
            ? null
            : "structuralObjectClass is not '"
                + structural.name()
                + "', which the object classes make it";
      }
    }
    return null;
  }

  private void checkName(EntryView view, ClassSet classes) {
    byte[] rdn = new byte[view.rdnLength()];
    view.buffer().get(view.rdnStart(), rdn);
    Set<AttributeType> types = new HashSet<>();
    try {
      Dn name = DnParser.parse(schema, rdn, Integer.MAX_VALUE, Integer.MAX_VALUE);
      if (name.rdnCount() == 0) {
        return;
      }
      for (NamingValue naming : DnParser.namingValues(schema, name.rdn(0))) {
        types.add(naming.type());
        fault(view, EntryVerdicts.naming(naming.type(), true));
      }
    } catch (InvalidDnException e) {
      fault(view, "invalid DN: " + e.getMessage());
      return;
    }
    ObjectClass structural = classes.structural();
    fault(view, structural == null ? null : EntryVerdicts.form(schema, structural, types));
  }

  /** Returns the name of an entry by the records above it. */
  private byte[] name(EntryView view) {
    ByteAppender name = new ByteAppender(128);
    append(view, name);
    long id = view.parentId();
    for (int depth = 0; id != 0 && depth < DEEPEST && name.length() < LONGEST_NAME; depth++) {
      key.clear().appendLong(id);
      ByteBuffer record = slot.get(slot.environment().id2entry(), key.array(), key.length());
      if (record == null || record.remaining() < EntryRecord.HEADER_LENGTH) {
        break;
      }
      ancestor.wrap(id, record, 0, new byte[0]);
      name.append(',');
      append(ancestor, name);
      id = ancestor.parentId();
    }
    return name.toByteArray();
  }

  private static void append(EntryView view, ByteAppender name) {
    name.append(view.buffer(), view.rdnStart(), view.rdnLength());
  }
}
