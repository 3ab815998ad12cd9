package org.nyala.lmdb.admin;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.env.EntryProgress;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.SeekCursor;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.TxnHandle;
import org.nyala.lmdb.format.DefinedClasses.DefinedTypes;
import org.nyala.lmdb.format.DefinitionOrigins;
import org.nyala.lmdb.format.Dn2IdKeys;
import org.nyala.lmdb.format.IndexKeys;
import org.nyala.lmdb.format.IndexWork;
import org.nyala.lmdb.format.StoreLayout;
import org.nyala.lmdb.format.StoreMeta;
import org.nyala.lmdb.format.StoredLargeValues;
import org.nyala.lmdb.format.StoredSchema;
import org.nyala.lmdb.format.ValueKeys;
import org.nyala.lmdb.journal.JournalCheck;
import org.nyala.lmdb.journal.ModificationCheck;
import org.nyala.lmdb.posting.PostingChunk;
import org.nyala.lmdb.write.EntryIndexer;

/**
 * Cross-checks every database of a store: its pages pass {@link PageCheck}, records pass {@link
 * RecordCheck} and have a parent, names refer to entries and entries to their names, every index
 * key of every entry is in the index and nothing else is, and the journal of changes passes {@link
 * JournalCheck} and {@link ModificationCheck}.
 *
 * <p>Confined to one running operation. Takes one snapshot and little memory, however large the
 * store: counting proves that nothing else is in a database.
 */
public final class StoreVerifier {
  private static final int DEEPEST = 4096;
  private static final int ENTRIES_PER_REPORT = 5000;

  private final int maximumProblems;
  private final EntryProgress progress;
  private final List<String> problems = new ArrayList<>();
  private final Map<Integer, Long> expectedPostings = new TreeMap<>();
  private final Map<Integer, Long> foundPostings = new TreeMap<>();
  private final Set<ByteBuffer> keysOfEntry = new HashSet<>();
  private final ByteAppender key = new ByteAppender(512);
  private final Schema schema;
  private final TxnHandle slot;
  private final StoreMeta meta;
  private final EntryIndexer indexer;
  private final StoreLayout layout;
  private final LargeValuesCheck large;
  private final long total;
  private @Nullable SchemaCheck conformity;
  private long entries;
  private long names;
  private long lastId;

  /** The extent of a verification; each includes the ones before it. */
  enum Extent {
    STORE,
    VALUES,
    SCHEMA
  }

  /**
   * The result of a verification.
   *
   * @param entries the number of entries
   * @param postings the number of pairs of an index value and an entry
   * @param problems the faults, one line each, cut at the given bound; empty for a sound store
   */
  public record Report(long entries, long postings, List<String> problems) {
    public Report {
      problems = List.copyOf(problems);
    }

    /** Returns whether the store has no faults. */
    public boolean isSound() {
      return problems.isEmpty();
    }
  }

  private StoreVerifier(
      TxnHandle slot, Schema schema, int maximumProblems, EntryProgress progress) {
    this.progress = progress;
    this.total = slot.environment().entryCount(slot.txn());
    this.schema = schema;
    this.maximumProblems = maximumProblems;
    this.slot = slot;
    this.meta = StoreMeta.read(slot.environment(), slot.txn(), schema);
    this.indexer = new EntryIndexer(meta.attributes(), meta.indexes());
    this.layout = new StoreLayout(meta, schema);
    this.large = new LargeValuesCheck(slot, meta.attributes());
  }

  /**
   * Verifies a data directory; a server may be running on it.
   *
   * @param maximumProblems the number of problems to report at most
   * @param progress receives the number of entries that were checked
   * @throws StoreException if it cannot be read at all
   */
  public static Report verify(
      Path directory, Schema schema, int maximumProblems, EntryProgress progress) {
    return verify(directory, schema, maximumProblems, progress, Extent.STORE);
  }

  /**
   * Verifies a data directory, and that the values of its entries may occur together (see {@link
   * EntryCheck}). Data with faults in the values alone is nevertheless served and restored.
   *
   * @param maximumProblems the number of problems to report at most
   * @param progress receives the number of entries that were checked
   * @throws StoreException if it cannot be read at all
   */
  public static Report verifyValues(
      Path directory, Schema schema, int maximumProblems, EntryProgress progress) {
    return verify(directory, schema, maximumProblems, progress, Extent.VALUES);
  }

  /**
   * Verifies a data directory as {@link #verifyValues} does, and that its entries conform to the
   * schema: faults are counted by cause, with the first entries of each. The lines of up to 51
   * causes are not counted as problems to report at most.
   *
   * @param maximumProblems the number of other problems to report at most
   * @param progress receives the number of entries that were checked
   * @throws StoreException if it cannot be read at all
   */
  public static Report verifySchema(
      Path directory, Schema schema, int maximumProblems, EntryProgress progress) {
    return verify(directory, schema, maximumProblems, progress, Extent.SCHEMA);
  }

  private static Report verify(
      Path directory, Schema schema, int maximumProblems, EntryProgress progress, Extent extent) {
    LmdbEnvironment.requireStore(directory);
    List<String> damaged = PageCheck.problems(directory, maximumProblems);
    if (!damaged.isEmpty()) {
      // LMDB must not follow these pages.
      return new Report(0, 0, damaged);
    }
    LmdbSettings settings = LmdbSettings.DEFAULT.asReadOnly();
    try (LmdbEnvironment environment = LmdbEnvironment.open(directory, settings);
        TxnHandle slot = new TxnHandle(environment)) {
      return verifier(slot, schema, maximumProblems, progress).run(extent);
    }
  }

  static StoreVerifier verifier(
      TxnHandle slot, Schema schema, int maximumProblems, EntryProgress progress) {
    String _ = StoreMeta.format(slot.environment(), slot.txn());
    Schema extended = StoredSchema.read(slot.environment(), slot.txn(), schema).schema();
    return new StoreVerifier(slot, extended, maximumProblems, progress);
  }

  Report run(Extent extent) {
    RecordCheck records = new RecordCheck(meta.attributes(), schema);
    conformity = extent == Extent.SCHEMA ? new SchemaCheck(slot, schema, meta) : null;
    if (extent != Extent.STORE) {
      checkEntriesAndValues(records);
    } else {
      checkEntries(records, null);
    }
    tellUnknownClasses(records.unknownClasses());
    checkNames();
    checkPostings();
    checkValues();
    checkMeta();
    List<String> faults =
        JournalCheck.problems(slot, meta.csns().floor(), meta.largestCsns(), maximumProblems);
    faults.forEach(this::report);
    if (faults.isEmpty()) {
      ModificationCheck.problems(slot, maximumProblems).forEach(this::report);
    }
    if (conformity != null) {
      conformity.faults().forEach(fault -> problems.add("schema: " + fault));
    }
    long postings = 0;
    for (long count : foundPostings.values()) {
      postings += count;
    }
    return new Report(entries, postings, problems);
  }

  /** Reports object classes that are not defined before the faults that follow from them. */
  private void tellUnknownClasses(Map<String, Long> unknown) {
    if (!unknown.isEmpty()) {
      DefinitionOrigins origins = DefinitionOrigins.read(slot.environment(), slot.txn());
      List<String> classes = new ArrayList<>();
      unknown.forEach(
          (name, count) -> classes.add(origins.text(name) + " (" + count + " entries)"));
      problems.addFirst(
          "entries have object classes that the schema does not define: "
              + String.join(", ", classes)
              + "; "
              + DefinedTypes.advice(schema));
    }
  }

  private void report(String problem) {
    if (problems.size() < maximumProblems) {
      problems.add(problem);
    }
  }

  private void checkEntriesAndValues(RecordCheck records) {
    try {
      Path scratch = Files.createTempDirectory("nyala-verify-");
      Path identities = scratch.resolve("identities");
      try (EntryCheck values = new EntryCheck(schema, meta, identities)) {
        checkEntries(records, values);
      } finally {
        Files.deleteIfExists(scratch);
      }
    } catch (IOException | UncheckedIOException e) {
      throw new StoreException(
          "no space to compare entries in the temporary folder: " + FileFailures.reason(e), e);
    }
  }

  private void checkEntries(RecordCheck check, @Nullable EntryCheck values) {
    EntryView view = new EntryView();
    try (SeekCursor cursor = slot.openCursor(slot.environment().id2entry())) {
      for (boolean more = cursor.first(); more; more = cursor.next()) {
        entries++;
        if (entries % ENTRIES_PER_REPORT == 0) {
          progress.update(entries, total);
        }
        if (cursor.key().remaining() != 8) {
          report("id2entry has a key of " + cursor.key().remaining() + " bytes");
          continue;
        }
        lastId = cursor.key().getLong(0);
        try {
          checkEntry(check, values, view, cursor.value());
        } catch (UncheckedIOException e) {
          throw e;
        } catch (RuntimeException e) {
          // Code that trusted the bytes of a record or of out-of-line values has failed on them.
          report("entry " + lastId + ": cannot be read: " + e);
        }
      }
    }
  }

  private void checkEntry(
      RecordCheck check, @Nullable EntryCheck values, EntryView view, ByteBuffer record) {
    long id = lastId;
    String problem = check.problem(record);
    if (problem == null) {
      view.wrap(id, record, 0, new byte[0]);
      boolean hasLarge = (view.flags() & EntryRecord.LARGE) != 0;
      problem = hasLarge ? large.problem(view) : null;
    }
    if (problem != null) {
      report("entry " + id + ": " + problem);
      return;
    }
    if (conformity != null) {
      conformity.check(view);
    }
    String contradiction = values == null ? null : values.problem(view);
    if (contradiction != null) {
      report("entry " + id + ": " + contradiction);
    }
    checkParents(id, view.parentId());
    checkName(view);
    checkKeys(view);
  }

  private void checkParents(long id, long parentId) {
    long at = parentId;
    for (int depth = 0; at != 0; depth++) {
      ByteBuffer parent = record(at);
      if (parent == null || parent.remaining() < EntryRecord.HEADER_LENGTH) {
        report("entry " + id + ": its ancestor " + at + " does not exist");
        return;
      }
      if (depth == DEEPEST) {
        report("entry " + id + ": is its own ancestor");
        return;
      }
      // A parent with a smaller id has been checked already.
      at = at < id ? 0 : parent.getLong(EntryRecord.PARENT_ID_AT);
    }
  }

  private @Nullable ByteBuffer record(long id) {
    key.clear().appendLong(id);
    return slot.get(slot.environment().id2entry(), key.array(), key.length());
  }

  private void checkName(EntryView view) {
    byte[] rdn = new byte[view.rdnLength()];
    view.buffer().get(view.rdnStart(), rdn);
    String text = new String(rdn, StandardCharsets.UTF_8);
    Dn dn;
    try {
      dn = DnParser.parse(schema, rdn, Integer.MAX_VALUE, Integer.MAX_VALUE);
    } catch (InvalidDnException e) {
      report("entry " + view.id() + ": its RDN " + text + " does not parse: " + e.getMessage());
      return;
    }
    boolean isTop = view.parentId() == 0;
    if (isTop && !layout.isTop(dn)) {
      report("entry " + view.id() + ": " + text + " has no parent and is no suffix");
    }
    if (!isTop && dn.rdnCount() != 1) {
      report("entry " + view.id() + ": its RDN " + text + " is no single RDN");
      return;
    }
    byte[] name = isTop ? dn.normalized() : dn.normalizedRdn(0);
    Dn2IdKeys.append(view.parentId(), name, key.clear());
    ByteBuffer found = slot.get(slot.environment().dn2id(), key.array(), key.length());
    if (found == null || found.remaining() != 8 || found.getLong(0) != view.id()) {
      report("entry " + view.id() + ": dn2id does not lead from " + text + " to it");
    }
  }

  private void checkKeys(EntryView view) {
    keysOfEntry.clear();
    int block = IndexKeys.block(view.id());
    int low = (int) view.id() & 0xffff;
    indexer.emit(
        view,
        (prefix, length) -> {
          key.clear().append(prefix, 0, length).appendInt(block);
          if (keysOfEntry.add(ByteBuffer.wrap(key.toByteArray()))) {
            checkPosting(view.id(), low);
          }
        });
  }

  private void checkPosting(long id, int low) {
    count(expectedPostings, indexOf(ByteBuffer.wrap(key.array())), 1);
    ByteBuffer chunk = slot.get(slot.environment().index(), key.array(), key.length());
    boolean isThere =
        chunk != null && PostingChunk.isValid(chunk) && PostingChunk.contains(chunk, low);
    if (!isThere) {
      report("entry " + id + ": missing in " + describe(indexOf(ByteBuffer.wrap(key.array()))));
    }
  }

  /** Returns attribute and kind of a key in one number. */
  private static int indexOf(ByteBuffer indexKey) {
    return (indexKey.getShort(0) & 0xffff) << 8 | indexKey.get(2) & 0xff;
  }

  private static void count(Map<Integer, Long> counts, int index, long more) {
    counts.merge(index, more, Long::sum);
  }

  private String describe(int index) {
    int attribute = index >>> 8;
    String name =
        attribute == 0 || attribute > meta.attributes().size()
            ? "built-in " + attribute
            : meta.attributes().description(attribute).name();
    return "index " + name + ", kind " + (index & 0xff);
  }

  private void checkNames() {
    try (SeekCursor cursor = slot.openCursor(slot.environment().dn2id())) {
      for (boolean more = cursor.first(); more; more = cursor.next()) {
        names++;
        if (cursor.key().remaining() < 8 || cursor.value().remaining() != 8) {
          report("dn2id has a damaged name");
          continue;
        }
        long parentId = cursor.key().getLong(0);
        long id = cursor.value().getLong(0);
        ByteBuffer record = record(id);
        if (record == null
            || record.remaining() < EntryRecord.HEADER_LENGTH
            || record.getLong(EntryRecord.PARENT_ID_AT) != parentId) {
          report("dn2id leads to entry " + id + " below " + parentId + ", which does not exist");
        }
      }
    }
    if (names != entries) {
      report("dn2id has " + names + " names for " + entries + " entries");
    }
  }

  private void checkPostings() {
    try (SeekCursor cursor = slot.openCursor(slot.environment().index())) {
      for (boolean more = cursor.first(); more; more = cursor.next()) {
        ByteBuffer indexKey = cursor.key();
        if (indexKey.remaining() < IndexKeys.HEADER_LENGTH + 1 + IndexKeys.BLOCK_LENGTH) {
          report("the index has a damaged key");
          continue;
        }
        ByteBuffer chunk = cursor.value();
        if (!PostingChunk.isValid(chunk)) {
          report("damaged posting in " + describe(indexOf(indexKey)));
          continue;
        }
        count(foundPostings, indexOf(indexKey), PostingChunk.cardinality(chunk));
      }
    }
    forgetUnfinished();
    Set<Integer> indexes = new HashSet<>(expectedPostings.keySet());
    indexes.addAll(foundPostings.keySet());
    for (int index : indexes) {
      long expected = expectedPostings.getOrDefault(index, 0L);
      long found = foundPostings.getOrDefault(index, 0L);
      if (expected != found) {
        report(describe(index) + ": " + found + " postings where entries have " + expected);
      }
    }
  }

  /**
   * Ignores the indexes that are being built or deleted: they have only some of their keys, and are
   * not read.
   */
  private void forgetUnfinished() {
    for (IndexWork work : meta.indexPlan().work()) {
      int attribute = meta.attributes().id(AttributeDescription.of(work.type()));
      foundPostings.remove(attribute << 8 | work.kind().code());
    }
  }

  private void checkValues() {
    long rows = LargeValuesCheck.rows(slot);
    if (rows != large.rows()) {
      report("values has " + rows + " rows where entries have " + large.rows());
    }
  }

  private void checkMeta() {
    if (lastId >= meta.nextEntryId()) {
      report("meta: next entry id " + meta.nextEntryId() + " but entry " + lastId + " exists");
    }
  }

  /**
   * Checks whether the values that are stored out of line are there, each at its key, and as many
   * as their heads state.
   *
   * <p>Confined to one running operation.
   */
  private static final class LargeValuesCheck implements LargeValues.Source {
    private final TxnHandle slot;
    private final AttributeTable table;
    private final ByteAppender bytes = new ByteAppender(256);
    private final ByteAppender scratch = new ByteAppender(256);
    private final ByteAppender name = new ByteAppender(512);
    private final ValueCursor cursor = new ValueCursor();
    private @Nullable StoredLargeValues values;
    private long rows;

    LargeValuesCheck(TxnHandle slot, AttributeTable table) {
      this.slot = slot;
      this.table = table;
    }

    /** Returns the number of rows that belong to the entries that were checked. */
    long rows() {
      return rows;
    }

    /** Returns the number of rows of the database. */
    static long rows(TxnHandle slot) {
      LmdbEnvironment environment = slot.environment();
      return environment.hasValues() ? environment.values().stat(slot.txn()).entries : 0;
    }

    @Override
    public @Nullable LargeValues largeValues(EntryView view, int index) {
      return open(view.id(), view.attributeId(index));
    }

    private @Nullable StoredLargeValues open(long entryId, int attribute) {
      StoredLargeValues open = values;
      if (open == null) {
        open = new StoredLargeValues(slot);
        values = open;
      }
      return open.open(entryId, attribute, table.description(attribute).type()) ? open : null;
    }

    /**
     * Returns the fault in an entry's out-of-line values, or null. Makes this object the view's
     * source of large values.
     */
    @Nullable String problem(EntryView view) {
      view.largeSource(this);
      for (int index = 0; index < view.attributeCount(); index++) {
        if (!cursor.open(view, index).next()) {
          return "the values of " + table.description(view.attributeId(index)) + " are missing";
        }
        LargeValues large = view.largeValues(index);
        String problem = large == null ? null : problem(view, index);
        if (problem != null) {
          return problem;
        }
      }
      return null;
    }

    private @Nullable String problem(EntryView view, int index) {
      int attribute = view.attributeId(index);
      StoredLargeValues large = open(view.id(), attribute);
      if (large == null) {
        return null;
      }
      rows++;
      long count = 0;
      long octets = 0;
      while (large.next()) {
        count++;
        octets += ValueKeys.octets(large.length());
        if (!isAtItsKey(large, table.description(attribute).type())) {
          return "a value of "
              + table.description(attribute)
              + " is stored at the key of another one";
        }
      }
      rows += count;
      return count > 0 && count == large.count() && octets == large.octets()
          ? null
          : table.description(attribute)
              + " has "
              + count
              + " values out of line, not "
              + large.count();
    }

    private boolean isAtItsKey(StoredLargeValues large, AttributeType type) {
      int length = large.length();
      bytes.clear().append(large.buffer(), 0, length);
      ValueKeys.appendName(type.equality(), bytes.array(), 0, length, scratch, name.clear());
      ByteBuffer key = large.wholeKey();
      return key.remaining() == ValueKeys.PREFIX_LENGTH + name.length()
          && key.slice(ValueKeys.PREFIX_LENGTH, name.length())
              .equals(ByteBuffer.wrap(name.array(), 0, name.length()));
    }
  }
}
