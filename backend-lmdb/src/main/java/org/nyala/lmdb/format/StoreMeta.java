package org.nyala.lmdb.format;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.Dbi;
import org.lmdbjava.Txn;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.CopySource;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.LogMark;
import org.nyala.core.backend.Promotion;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Normalizer;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.DefinedClasses.DefinedTypes;

/**
 * The meta data of a store: the {@code meta} database.
 *
 * <pre>
 *   version           3
 *   normalizer        version of the normalisers that the names were built by
 *   generation        changes whenever suffixes, attributes or indexes do
 *   suffix/0000       DN as presented, in the order of import
 *   attribute/00001   description, by number
 *   index/cn          kinds and what they were built by, see {@link StoredIndexes}
 *   work/cn/sub       what is left to do for an index, see {@link IndexWork}
 *   nextEntryId       decimal
 *   contextCsn/0000/001  the largest change sequence number of a suffix and a server
 *   contextCsn/former    the largest of all entries when the store had format 2
 *   classes           the defined object classes: {@link DefinedClasses}
 *   origins           the files of the definitions: {@link DefinitionOrigins}
 *   promotion/0000    the note that a suffix, once a copy, became writable: {@link Promotion}
 *   history/0000      the identity of a suffix's history: {@link ContextHistory}
 *   epochs/0000       the epochs of a suffix: {@link ContextEpochs}
 *   source/0000       the history that the copy of a suffix was made from: {@link CopySource}
 *   log/0000          the last entry of a cluster's log that was applied: {@link LogMark}
 *   journalFloor/001  the largest one of a server that the journal of changes has no more
 * </pre>
 *
 * <p>Keys and values are UTF-8. Immutable.
 *
 * @param generation grows with every change of the lists; 1 at first
 * @param suffixes the DNs of the naming contexts' top entries, as presented
 * @param attributes the numbers of attributes
 * @param indexPlan the complete indexes, and the work on others
 * @param nextEntryId the id that the next entry gets, at least 1
 * @param csns the change sequence numbers of the naming contexts
 * @param format the version of the format that the store had when this was read
 */
public record StoreMeta(
    long generation,
    List<String> suffixes,
    AttributeTable attributes,
    IndexPlan indexPlan,
    long nextEntryId,
    StoredCsns csns,
    String format) {
  /** The version of the format that this class writes. */
  public static final String VERSION = "3";

  /** The version of the format before, which this class reads. */
  public static final String FORMER_VERSION = "2";

  private static final String VERSION_KEY = "version";
  private static final String NORMALIZER_KEY = "normalizer";
  private static final String GENERATION_KEY = "generation";
  private static final String SUFFIX_PREFIX = "suffix/";
  private static final String ATTRIBUTE_PREFIX = "attribute/";
  private static final String INDEX_PREFIX = "index/";
  private static final String WORK_PREFIX = "work/";
  private static final String NEXT_ENTRY_ID_KEY = "nextEntryId";

  /** Copies the lists; naming contexts without a vector have no changes. */
  public StoreMeta {
    suffixes = List.copyOf(suffixes);
    csns = csns.padded(suffixes.size());
  }

  /** Creates the meta data of a store whose indexes are all complete. */
  public StoreMeta(
      long generation,
      List<String> suffixes,
      AttributeTable attributes,
      List<IndexDefinition> indexes,
      long nextEntryId,
      List<CsnVector> contextCsns) {
    this(
        generation,
        suffixes,
        attributes,
        new IndexPlan(indexes, List.of()),
        nextEntryId,
        new StoredCsns(contextCsns, "", CsnVector.EMPTY),
        VERSION);
  }

  /** Returns the indexes that readers use. */
  public List<IndexDefinition> indexes() {
    return indexPlan.complete();
  }

  /** Returns the meta data of a store without entries. */
  public static StoreMeta empty(List<String> suffixes, List<IndexDefinition> indexes) {
    return new StoreMeta(1, suffixes, AttributeTable.EMPTY, indexes, 1, List.of());
  }

  /**
   * Reads everything.
   *
   * @throws StoreException if the format is another one, the schema lacks an attribute, or names or
   *     indexes were built by other rules than the schema's
   */
  public static StoreMeta read(LmdbEnvironment environment, Txn<ByteBuffer> txn, Schema schema) {
    Dbi<ByteBuffer> meta = environment.meta();
    String format = checkFormat(environment, txn);
    DefinedTypes.require(
        environment, txn, schema, List.of(INDEX_PREFIX, WORK_PREFIX), ATTRIBUTE_PREFIX);
    List<IndexDefinition> indexes = new ArrayList<>();
    for (MetaTexts.Item item : MetaTexts.list(meta, txn, INDEX_PREFIX)) {
      indexes.add(definition(environment, schema, item));
    }
    List<IndexWork> work = new ArrayList<>();
    for (MetaTexts.Item item : MetaTexts.list(meta, txn, WORK_PREFIX)) {
      work.add(work(environment, schema, item));
    }
    List<String> suffixes =
        MetaTexts.list(meta, txn, SUFFIX_PREFIX).stream().map(MetaTexts.Item::value).toList();
    return new StoreMeta(
        MetaTexts.number(environment, txn, GENERATION_KEY),
        suffixes,
        attributes(environment, txn, schema),
        new IndexPlan(indexes, work),
        MetaTexts.number(environment, txn, NEXT_ENTRY_ID_KEY),
        StoredCsns.read(environment, txn, suffixes.size(), format.equals(VERSION)),
        format);
  }

  /** Reads the largest change sequence numbers that the journal has no more, by server. */
  public static CsnVector journalFloor(LmdbEnvironment environment, Txn<ByteBuffer> txn) {
    boolean isFormer = FORMER_VERSION.equals(MetaTexts.get(environment.meta(), txn, VERSION_KEY));
    return isFormer
        ? StoredCsns.readContext(environment, txn, 0)
        : StoredCsns.readFloor(environment, txn);
  }

  /** Reads the largest change sequence number of each server, in all naming contexts. */
  public static CsnVector largestCsns(LmdbEnvironment environment, Txn<ByteBuffer> txn) {
    CsnVector largest = CsnVector.EMPTY;
    for (int i = suffixes(environment, txn).size() - 1; i >= 0; i--) {
      largest = largest.with(contextCsns(environment, txn, i));
    }
    return largest;
  }

  /** Reads the changes that a naming context has. */
  public static CsnVector contextCsns(
      LmdbEnvironment environment, Txn<ByteBuffer> txn, int suffix) {
    return StoredCsns.readContext(environment, txn, suffix);
  }

  /**
   * Reads the DNs of the naming contexts alone, for which no schema is needed.
   *
   * @throws StoreException if the format is another one
   */
  public static List<String> suffixes(LmdbEnvironment environment, Txn<ByteBuffer> txn) {
    checkFormat(environment, txn);
    return MetaTexts.list(environment.meta(), txn, SUFFIX_PREFIX).stream()
        .map(MetaTexts.Item::value)
        .toList();
  }

  /** Returns the version of the format; throws a {@link StoreException} if it cannot be read. */
  private static String checkFormat(LmdbEnvironment environment, Txn<ByteBuffer> txn) {
    String version = MetaTexts.get(environment.meta(), txn, VERSION_KEY);
    if (version == null || !version.equals(VERSION) && !version.equals(FORMER_VERSION)) {
      throw new StoreException(
          "the store in "
              + environment.directory()
              + " has format "
              + (version == null ? "unknown (an import that did not finish?)" : version)
              + "; this Nyala reads formats "
              + FORMER_VERSION
              + " and "
              + VERSION
              + ": import the data again");
    }
    long normalizer = MetaTexts.number(environment, txn, NORMALIZER_KEY);
    if (normalizer != Normalizer.VERSION) {
      throw new StoreException(
          "the names in the store in "
              + environment.directory()
              + " were built by version "
              + normalizer
              + " of the normalisers; this Nyala has version "
              + Normalizer.VERSION
              + ": import the data again");
    }
    return version;
  }

  /**
   * Reads the version of the format alone.
   *
   * @throws StoreException if the format is another one
   */
  public static String format(LmdbEnvironment environment, Txn<ByteBuffer> txn) {
    return checkFormat(environment, txn);
  }

  private static IndexDefinition definition(
      LmdbEnvironment environment, Schema schema, MetaTexts.Item item) {
    try {
      return StoredIndexes.parse(schema, item.name(), item.value());
    } catch (IllegalArgumentException e) {
      throw unsuited(environment, e);
    }
  }

  private static IndexWork work(LmdbEnvironment environment, Schema schema, MetaTexts.Item item) {
    try {
      return IndexWork.parse(schema, item.name(), item.value());
    } catch (IllegalArgumentException e) {
      throw unsuited(environment, e);
    }
  }

  private static StoreException unsuited(
      LmdbEnvironment environment, IllegalArgumentException cause) {
    return new StoreException(
        "the store in "
            + environment.directory()
            + " does not match the schema: "
            + cause.getMessage()
            + "; import the data again, or start with the schema that it was imported with",
        cause);
  }

  private static AttributeTable attributes(
      LmdbEnvironment environment, Txn<ByteBuffer> txn, Schema schema) {
    AttributeNumbers numbers = new AttributeNumbers(AttributeTable.EMPTY);
    for (MetaTexts.Item item : MetaTexts.list(environment.meta(), txn, ATTRIBUTE_PREFIX)) {
      AttributeDescription description = AttributeDescription.parse(schema, item.value());
      if (description == null
          || !item.name().equals(MetaTexts.padded(numbers.id(description), 5))) {
        throw new StoreException(
            "the store in "
                + environment.directory()
                + " has a damaged attribute table at number "
                + item.name());
      }
      requireName(environment, schema, item.value(), description.type());
    }
    return numbers.table();
  }

  /* Entries and names are stored with the first name of a type; names in lower case. */
  private static void requireName(
      LmdbEnvironment environment, Schema schema, String stored, AttributeType type) {
    String name = stored.replaceFirst(";.*", "");
    if (!name.equalsIgnoreCase(type.name())) {
      throw new StoreException(
          "the entries of the store in "
              + environment.directory()
              + " have the attribute '"
              + name
              + "', which the schema now calls '"
              + type.name()
              + "'"
              + (schema.origins().containsKey(type.oid())
                  ? " (" + schema.origins().get(type.oid()) + ")"
                  : "")
              + ": give it its first name back; or export with the schema from before, and import"
              + " with this one");
    }
  }

  /** Reads the generation alone, which shows whether meta data read before still holds. */
  public static long generation(LmdbEnvironment environment, Txn<ByteBuffer> txn) {
    return MetaTexts.number(environment, txn, GENERATION_KEY);
  }

  /** Writes everything; numbers of attributes are only ever added. */
  public void write(LmdbEnvironment environment, Txn<ByteBuffer> txn) {
    Dbi<ByteBuffer> meta = environment.meta();
    MetaTexts.put(meta, txn, VERSION_KEY, VERSION);
    MetaTexts.put(meta, txn, NORMALIZER_KEY, Integer.toString(Normalizer.VERSION));
    MetaTexts.put(meta, txn, GENERATION_KEY, Long.toString(generation));
    for (int i = 0; i < suffixes.size(); i++) {
      MetaTexts.put(meta, txn, SUFFIX_PREFIX + MetaTexts.padded(i, 4), suffixes.get(i));
    }
    for (int id = 1; id <= attributes.size(); id++) {
      MetaTexts.put(
          meta, txn, ATTRIBUTE_PREFIX + MetaTexts.padded(id, 5), attributes.description(id).name());
    }
    indexTexts().forEach((name, text) -> MetaTexts.put(meta, txn, name, text));
    MetaTexts.put(meta, txn, NEXT_ENTRY_ID_KEY, Long.toString(nextEntryId));
    csns.forEachChangeSince(StoredCsns.NONE, (name, text) -> MetaTexts.put(meta, txn, name, text));
  }

  /** Returns whether the store has the format before this one. */
  public boolean isFormer() {
    return !format.equals(VERSION);
  }

  /** Returns a copy in the format that this class writes. */
  public StoreMeta renewed() {
    return new StoreMeta(generation, suffixes, attributes, indexPlan, nextEntryId, csns, VERSION);
  }

  /** Returns a copy with another next entry id. */
  public StoreMeta with(long nextId) {
    return new StoreMeta(generation, suffixes, attributes, indexPlan, nextId, csns, format);
  }

  /** Returns a copy with a further change in a naming context. */
  public StoreMeta with(int suffix, Csn csn) {
    StoredCsns more = csns.with(suffix, csn);
    return more == csns
        ? this
        : new StoreMeta(generation, suffixes, attributes, indexPlan, nextEntryId, more, format);
  }

  /** Returns a copy with other changes in a naming context. */
  public StoreMeta with(int suffix, CsnVector others) {
    StoredCsns all = csns.with(suffix, others);
    return new StoreMeta(generation, suffixes, attributes, indexPlan, nextEntryId, all, format);
  }

  /** Returns the largest change sequence number of each server, in all naming contexts. */
  public CsnVector largestCsns() {
    return csns.largest();
  }

  /** Returns a copy whose journal has lost the changes up to these. */
  public StoreMeta withJournalFloor(CsnVector floor) {
    StoredCsns raised = csns.withFloor(floor);
    return raised == csns
        ? this
        : new StoreMeta(generation, suffixes, attributes, indexPlan, nextEntryId, raised, format);
  }

  /** Returns a copy with a longer table of attributes. */
  public StoreMeta with(long newGeneration, AttributeTable table) {
    return new StoreMeta(newGeneration, suffixes, table, indexPlan, nextEntryId, csns, format);
  }

  /** Returns a copy with more naming contexts. */
  public StoreMeta withSuffixes(long newGeneration, List<String> more) {
    List<String> all = new ArrayList<>(suffixes);
    all.addAll(more);
    return new StoreMeta(newGeneration, all, attributes, indexPlan, nextEntryId, csns, format);
  }

  /** Returns a copy with other indexes; the generation may stay if readers use the same ones. */
  public StoreMeta withIndexes(long newGeneration, IndexPlan plan) {
    return new StoreMeta(newGeneration, suffixes, attributes, plan, nextEntryId, csns, format);
  }

  /** Returns the keys and values that describe the indexes. */
  private Map<String, String> indexTexts() {
    Map<String, String> texts = new LinkedHashMap<>();
    for (IndexDefinition index : indexPlan.complete()) {
      texts.put(INDEX_PREFIX + index.type().name(), StoredIndexes.text(index));
    }
    for (IndexWork work : indexPlan.work()) {
      texts.put(WORK_PREFIX + work.name(), work.text());
    }
    return texts;
  }

  /** Passes on the keys that an earlier state had and this one has not. */
  public void forEachKeyLostSince(StoreMeta before, Consumer<String> sink) {
    if (before.isFormer()) {
      sink.accept(StoredCsns.KEY_OF_FORMAT_2);
    } else {
      csns.forEachKeyLostSince(before.csns, sink);
    }
    if (indexPlan != before.indexPlan) {
      Set<String> kept = indexTexts().keySet();
      before.indexTexts().keySet().stream().filter(name -> !kept.contains(name)).forEach(sink);
    }
  }

  /** Passes on the keys and values that differ from those of an earlier state. */
  public void forEachChangeSince(StoreMeta before, BiConsumer<String, String> sink) {
    if (indexPlan != before.indexPlan) {
      indexTexts().forEach(sink);
    }
    if (generation != before.generation) {
      sink.accept(GENERATION_KEY, Long.toString(generation));
    }
    for (int i = before.suffixes.size(); i < suffixes.size(); i++) {
      sink.accept(SUFFIX_PREFIX + MetaTexts.padded(i, 4), suffixes.get(i));
    }
    for (int id = before.attributes.size() + 1; id <= attributes.size(); id++) {
      sink.accept(ATTRIBUTE_PREFIX + MetaTexts.padded(id, 5), attributes.description(id).name());
    }
    if (nextEntryId != before.nextEntryId) {
      sink.accept(NEXT_ENTRY_ID_KEY, Long.toString(nextEntryId));
    }
    if (before.isFormer()) {
      sink.accept(VERSION_KEY, VERSION);
      csns.forEachChangeSince(StoredCsns.NONE, sink);
    } else if (csns != before.csns) {
      csns.forEachChangeSince(before.csns, sink);
    }
  }

  /**
   * A kind of notes about naming contexts, which the meta data of a store keep as text.
   *
   * <p>Immutable.
   *
   * @param prefix the beginning of the keys
   * @param parser reads the text of a note; null if it is none
   */
  public record Note<T>(String prefix, Function<String, @Nullable T> parser) {
    /** The note that a naming context became writable here. */
    public static final Note<Promotion> PROMOTION = new Note<>("promotion/", Promotion::parse);

    /** The history of a naming context. */
    public static final Note<ContextHistory> HISTORY =
        new Note<>("history/", ContextHistory::parse);

    /** The epochs of a naming context. */
    public static final Note<ContextEpochs> EPOCHS = new Note<>("epochs/", ContextEpochs::parse);

    /** The history that the copy of a naming context was made from. */
    public static final Note<CopySource> SOURCE = new Note<>("source/", CopySource::parse);

    /** The last entry of a cluster's log, which is of all naming contexts: number 0 alone. */
    public static final Note<LogMark> LOG = new Note<>("log/", LogMark::parse);

    /** Returns the key of the note about a naming context. */
    public String key(int suffix) {
      return prefix + MetaTexts.padded(suffix, 4);
    }

    /**
     * Reads the note about a naming context; null if there is none.
     *
     * @throws StoreException if it cannot be read
     */
    public @Nullable T read(LmdbEnvironment environment, Txn<ByteBuffer> txn, int suffix) {
      String text = MetaTexts.get(environment.meta(), txn, key(suffix));
      if (text == null) {
        return null;
      }
      T note = parser.apply(text);
      if (note == null) {
        throw new StoreException(
            "the store in "
                + environment.directory()
                + " is damaged: "
                + key(suffix)
                + " is "
                + text);
      }
      return note;
    }

    /** Writes the note about a naming context. */
    public void put(LmdbEnvironment environment, Txn<ByteBuffer> txn, int suffix, T note) {
      MetaTexts.put(environment.meta(), txn, key(suffix), note.toString());
    }
  }
}
