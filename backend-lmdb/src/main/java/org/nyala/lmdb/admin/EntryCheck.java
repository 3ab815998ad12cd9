package org.nyala.lmdb.admin;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.dn.NamingValue;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.format.EntryIdentities;
import org.nyala.lmdb.format.StoreMeta;

/**
 * Checks whether an entry's values may occur together: no value twice by the equality rule of its
 * attribute, the values of the RDN among them, an {@code entryUUID} that no other entry has, and an
 * {@code entryCSN} that can be read. It may be later than the context CSN: so it is in a copy of a
 * server that makes changes in another order than it numbers them.
 *
 * <p>Confined to one running operation. Only for records that {@link RecordCheck} accepts.
 */
final class EntryCheck implements AutoCloseable {
  private final Schema schema;
  private final AttributeTable table;
  private final int uuidId;
  private final int csnId;
  private final EntryIdentities identities;
  private final ValueCursor values = new ValueCursor();
  private final ByteAppender normalized = new ByteAppender(256);
  private final Set<ByteBuffer> forms = new HashSet<>();

  /**
   * Prepares for the entries of a store.
   *
   * @param scratch a file to create, deleted at the end
   */
  EntryCheck(Schema schema, StoreMeta meta, Path scratch) throws IOException {
    this.schema = schema;
    this.table = meta.attributes();
    this.uuidId = table.id(AttributeDescription.parse(schema, "entryUUID"));
    this.csnId = table.id(AttributeDescription.parse(schema, "entryCSN"));
    this.identities = new EntryIdentities(scratch, new SplittableRandom());
  }

  /** Returns the fault in the entry that a view shows, or null. */
  @Nullable String problem(EntryView view) {
    for (int index = 0; index < view.attributeCount(); index++) {
      int id = view.attributeId(index);
      String problem = view.isApart(index) ? null : equalValues(view, index);
      if (problem == null && id == uuidId) {
        problem = uuidProblem(view, index);
      }
      if (problem == null && id == csnId) {
        problem = csnProblem(view, index);
      }
      if (problem != null) {
        return problem;
      }
    }
    return namingProblem(view);
  }

  private @Nullable String equalValues(EntryView view, int index) {
    AttributeDescription description = table.description(view.attributeId(index));
    forms.clear();
    values.open(view, index);
    while (values.next()) {
      if (!forms.add(form(description.type(), values.value()))) {
        return description + " has two equal values";
      }
    }
    return null;
  }

  private ByteBuffer form(AttributeType type, byte[] value) {
    MatchingRule rule = type.equality();
    boolean isNormal =
        rule != null
            && rule.valueNormalizer().normalize(value, 0, value.length, normalized.clear());
    return ByteBuffer.wrap(isNormal ? normalized.toByteArray() : value);
  }

  private @Nullable String uuidProblem(EntryView view, int index) {
    values.open(view, index);
    if (!values.next()) {
      return null;
    }
    long other = identities.find(values.value());
    if (other != ReadTransaction.NO_ENTRY) {
      return "has the entryUUID of entry " + other;
    }
    try {
      identities.add(view.id());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return null;
  }

  private @Nullable String csnProblem(EntryView view, int index) {
    values.open(view, index);
    if (!values.next()) {
      return null;
    }
    byte[] value = values.value();
    return Csn.parse(value, 0, value.length) == null
        ? "its entryCSN cannot be read, or has a time that does not exist"
        : null;
  }

  private @Nullable String namingProblem(EntryView view) {
    byte[] rdn = new byte[view.rdnLength()];
    view.buffer().get(view.rdnStart(), rdn);
    try {
      Dn name = DnParser.parse(schema, rdn, Integer.MAX_VALUE, Integer.MAX_VALUE);
      if (name.rdnCount() == 0) {
        return null;
      }
      for (NamingValue naming : DnParser.namingValues(schema, name.rdn(0))) {
        if (!contains(view, naming)) {
          return "lacks the value of " + naming.type() + " that its RDN has";
        }
      }
      return null;
    } catch (InvalidDnException e) {
      // This is reported by the check that looks names up.
      return null;
    }
  }

  private boolean contains(EntryView view, NamingValue naming) {
    int id = table.id(AttributeDescription.of(naming.type()));
    ByteBuffer wanted = form(naming.type(), naming.value());
    for (int index = 0; index < view.attributeCount(); index++) {
      if (view.attributeId(index) == id) {
        return view.isApart(index) || isAmong(view, index, naming.type(), wanted);
      }
    }
    return false;
  }

  private boolean isAmong(EntryView view, int index, AttributeType type, ByteBuffer wanted) {
    values.open(view, index);
    while (values.next()) {
      if (form(type, values.value()).equals(wanted)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void close() throws IOException {
    identities.close();
  }
}
