package org.nyala.lmdb.export;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Membership;
import org.nyala.core.filter.Pace;
import org.nyala.core.filter.Ternary;
import org.nyala.core.integrity.References;
import org.nyala.core.ldif.LdifWriter;
import org.nyala.core.message.Scope;
import org.nyala.core.provider.ComputedAttribute;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.SnapshotRoom;
import org.nyala.lmdb.env.EntryProgress;
import org.nyala.lmdb.env.StoreException;

/**
 * Writes a directory, or a part of it, as LDIF that can be imported again: every entry with all its
 * user and operational attributes, including hidden ones, parents before children, values byte by
 * byte. Entries that must wait for parents younger than themselves wait on disk.
 *
 * <p>Confined to one running operation. Works while a server runs, and writes the directory as of
 * one moment: one read transaction is held from the first entry to the last, as for a backup. Short
 * transactions would write entries that were moved meanwhile twice, or not at all, or below parents
 * that are not in the file. The number of pages that LMDB cannot reuse meanwhile is bounded by
 * {@link SnapshotRoom}.
 */
public final class LdifExport {
  /**
   * The number of entries between two looks at the space that is left, some milliseconds' worth.
   */
  public static final int SLICE = 8192;

  private static final byte[] CONTEXT_CSN = "contextCSN".getBytes(StandardCharsets.US_ASCII);

  private final LmdbBackend backend;
  private final FilterMatcher matcher;
  private final CompiledFilter filter;
  private final Schema schema;
  private LdifWriter writer;
  private Set<AttributeType> leftOut = Set.of();
  private @Nullable Membership membership;
  private @Nullable References references;
  private final SnapshotRoom room;
  private final int slice;
  private final EntryView view = new EntryView();
  private final ValueCursor values = new ValueCursor();
  private final ParentFirstOrder order = new ParentFirstOrder();
  private DeferredEntries waiting = new DeferredEntries();
  private AttributeTable table = AttributeTable.EMPTY;
  private final @Nullable AttributeType contextCsn;
  private int contextCsnId = AttributeTable.ABSENT;
  private byte[][] names = {};
  private boolean[] isLeftOut = {};
  private byte[] value = new byte[1024];
  private EntryProgress progress = EntryProgress.NONE;
  private long total;
  private long examined;
  private long written;

  /**
   * Prepares an export.
   *
   * @param filter selects the entries to write; {@link CompiledFilter.Constant#TRUE} for all
   * @param writer the writer to write to; left open
   */
  public LdifExport(LmdbBackend backend, Schema schema, CompiledFilter filter, LdifWriter writer) {
    this(backend, schema, filter, writer, SLICE, System::nanoTime);
  }

  public LdifExport(
      LmdbBackend backend,
      Schema schema,
      CompiledFilter filter,
      LdifWriter writer,
      int slice,
      LongSupplier nanoClock) {
    this.room = new SnapshotRoom(backend, nanoClock);
    this.backend = backend;
    this.schema = schema;
    this.matcher = new FilterMatcher(schema, _ -> true);
    this.contextCsn = ComputedAttribute.CONTEXT_CSN.in(schema);
    this.filter = filter;
    this.writer = writer;
    this.slice = slice;
  }

  /**
   * Reports to the given object how many entries were looked at.
   *
   * @param entries the approximate number of entries in all
   */
  public LdifExport telling(EntryProgress somebody, long entries) {
    progress = somebody;
    total = entries;
    return this;
  }

  /** Leaves out the values of attributes, with whatever options. */
  public LdifExport without(Set<AttributeType> types) {
    leftOut = Set.copyOf(types);
    return this;
  }

  /**
   * Writes values of {@code memberOf} that are computed from the groups that name an entry
   * themselves, in place of stored ones.
   */
  public LdifExport computing(Membership other) {
    membership = other;
    return this;
  }

  /** Opens the target of a naming context. */
  @FunctionalInterface
  public interface Targets {
    /** Returns the writer, which is flushed when the entries are written, and left open. */
    LdifWriter open(Dn context) throws IOException;
  }

  /**
   * Writes each naming context that has entries to a target of its own, all as of one moment.
   *
   * @return the number of entries written
   * @throws StoreException if changes are about to run out of space while this goes on
   */
  public long runEach(Targets targets) throws IOException {
    written = 0;
    room.begin();
    try (ReadTransaction read = backend.beginRead()) {
      use(read);
      for (Dn context : backend.namingContexts()) {
        long id = read.find(context);
        if (id != ReadTransaction.NO_ENTRY || context.rdnCount() == 0) {
          writer = targets.open(context);
          writeSubtree(read, id);
          writer.flush();
        }
      }
    }
    return written;
  }

  /**
   * Writes the entries at and below {@code base}, or all entries if it is null. Naming contexts
   * without entries add nothing.
   *
   * @return the number of entries written
   * @throws StoreException if there is no entry {@code base}, or if changes are about to run out of
   *     space while this goes on
   */
  public long run(@Nullable Dn base) throws IOException {
    written = 0;
    room.begin();
    List<Dn> bases = base == null ? backend.namingContexts() : List.of(base);
    try (ReadTransaction read = backend.beginRead()) {
      use(read);
      for (Dn each : bases) {
        long baseId = read.find(each);
        // There is no entry at the empty name, and everything is below it.
        if (baseId != ReadTransaction.NO_ENTRY || each.rdnCount() == 0) {
          writeSubtree(read, baseId);
        } else if (base != null) {
          throw new StoreException("there is no entry " + base);
        }
      }
    }
    writer.flush();
    return written;
  }

  private void writeSubtree(ReadTransaction read, long baseId) throws IOException {
    try (DeferredEntries entries = new DeferredEntries()) {
      waiting = entries;
      writeReady(read, baseId);
      writeWaiting(read);
    }
  }

  private void writeReady(ReadTransaction read, long baseId) throws IOException {
    order.start(baseId);
    SearchSpec spec = new SearchSpec(baseId, Scope.SUBTREE, filter, false, false);
    long after = 0;
    boolean more = true;
    while (more) {
      try (EntryCursor cursor = read.search(spec, after)) {
        more = writeSlice(read, cursor);
        after = cursor.position();
        examined += cursor.examined();
      }
      progress.update(examined, total);
      room.require();
    }
  }

  /** Writes until a slice of candidates was looked at; false if that was all. */
  private boolean writeSlice(ReadTransaction read, EntryCursor cursor) throws IOException {
    while (cursor.examined() < slice) {
      switch (cursor.next(view, slice)) {
        case ENTRY -> {
          if (cursor.isExact() || matches(read)) {
            writeInOrder(read);
          }
        }
        case LIMIT -> {
          return true;
        }
        case END -> {
          return false;
        }
      }
    }
    return true;
  }

  private boolean matches(ReadTransaction read) {
    return matcher.match(filter, view, table, read::hasSubordinates) == Ternary.TRUE;
  }

  /**
   * An entry that was moved below a younger one comes before its parent in the order of ids: it
   * waits, and the entries below it too.
   */
  private void writeInOrder(ReadTransaction read) throws IOException {
    int rank = order.rank(read, view.id(), view.parentId());
    if (rank == 0) {
      write(read);
    } else {
      waiting.add(view.id(), rank);
    }
  }

  private void writeWaiting(ReadTransaction read) throws IOException {
    for (int rank = 1; rank <= waiting.largestRank(); rank++) {
      waiting.rewind();
      while (writeWaiting(read, rank)) {
        progress.update(examined, total);
        room.require();
      }
    }
  }

  /** Writes the entries of a rank, for a slice; false if that was all. */
  private boolean writeWaiting(ReadTransaction read, int rank) throws IOException {
    for (int i = 0; i < slice; i++) {
      if (!waiting.next()) {
        return false;
      }
      if (waiting.rank() == rank && read.read(waiting.id(), view)) {
        write(read);
      }
    }
    return true;
  }

  private void write(ReadTransaction read) throws IOException {
    writer.dn(view.dn());
    for (int index = 0; index < view.attributeCount(); index++) {
      byte[] name = names[view.attributeId(index)];
      if (view.attributeId(index) == contextCsnId || isLeftOut[view.attributeId(index)]) {
        continue;
      }
      values.open(view, index);
      while (values.next()) {
        int length = values.length();
        if (value.length < length) {
          value = new byte[Math.max(length, value.length * 2)];
        }
        values.buffer().get(values.start(), value, 0, length);
        writer.attribute(name, value, 0, length);
      }
    }
    writeMemberships();
    if (view.parentId() == ReadTransaction.NO_ENTRY) {
      writeContextCsns(read);
    }
    writer.end();
    written++;
    // The reader of the output may be slow.
    room.requireAtTimes();
  }

  /**
   * Writes the changes of the naming context whose top entry this is, including those that an
   * import of format 2 stored in the entry.
   */
  private void writeContextCsns(ReadTransaction read) throws IOException {
    List<Csn> csns = new ArrayList<>(read.contextCsns(view.id()).csns());
    for (int index = 0; index < view.attributeCount(); index++) {
      if (view.attributeId(index) == contextCsnId) {
        values.open(view, index);
        while (values.next()) {
          byte[] bytes = values.value();
          Csn stored = Csn.parse(bytes, 0, bytes.length);
          if (stored != null) {
            csns.add(stored);
          }
        }
      }
    }
    for (Csn csn : CsnVector.ofLargest(csns).csns()) {
      byte[] text = csn.toString().getBytes(StandardCharsets.US_ASCII);
      writer.attribute(CONTEXT_CSN, text, 0, text.length);
    }
  }

  private void writeMemberships() throws IOException {
    Membership rules = membership;
    References known = references;
    if (rules == null || known == null || leftOut.contains(rules.memberOf())) {
      return;
    }
    Dn name = known.nameOf(view);
    byte[] attribute = rules.memberOf().name().getBytes(StandardCharsets.US_ASCII);
    for (Dn group : known.referrers(rules.groupAttributes(), name, false).values()) {
      writer.attribute(attribute, group.raw(), 0, group.raw().length);
    }
    if (known.isIncomplete()) {
      throw new StoreException(
          name
              + " is in more than "
              + rules.maximumGroups()
              + " groups: raise memberOf.groups, or use --member-of none");
    }
  }

  private void use(ReadTransaction read) {
    references =
        membership == null
            ? null
            : new References(read, schema, membership.maximumGroups(), Pace.UNBOUNDED);
    useTable(read.attributes());
  }

  private void useTable(AttributeTable current) {
    if (current == table) {
      return;
    }
    byte[][] bytes = new byte[current.size() + 1][];
    for (int id = 1; id < bytes.length; id++) {
      bytes[id] = current.description(id).nameBytes();
    }
    names = bytes;
    isLeftOut = new boolean[bytes.length];
    for (int id = 1; id < bytes.length; id++) {
      AttributeType type = current.description(id).type();
      isLeftOut[id] = leftOut.contains(type) || membership != null && membership.computes(type);
    }
    table = current;
    contextCsnId =
        contextCsn == null ? AttributeTable.ABSENT : table.id(AttributeDescription.of(contextCsn));
  }

  /**
   * The ids of entries that an export has to write later, in a temporary file: there may be
   * millions.
   *
   * <p>Confined to one running operation. Filled first, then read, any number of times.
   */
  private static final class DeferredEntries implements AutoCloseable {
    private @Nullable Path file;
    private @Nullable DataOutputStream output;
    private @Nullable DataInputStream input;
    private long count;
    private long left;
    private int largestRank;
    private long id;
    private int rank;

    void add(long entryId, int entryRank) throws IOException {
      DataOutputStream target = output;
      if (target == null) {
        Path made = Files.createTempFile("nyala-export", ".tmp");
        file = made;
        target = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(made)));
        output = target;
      }
      target.writeLong(entryId);
      target.writeInt(entryRank);
      largestRank = Math.max(largestRank, entryRank);
      count++;
    }

    /** Returns the largest rank of an entry; 0 if there is none. */
    int largestRank() {
      return largestRank;
    }

    /** Moves before the first entry; entries must not be added any more. */
    void rewind() throws IOException {
      left = count;
      closeStreams();
      Path made = file;
      if (made != null) {
        input = new DataInputStream(new BufferedInputStream(Files.newInputStream(made)));
      }
    }

    /** Moves to the next entry; false if there is none. */
    boolean next() throws IOException {
      DataInputStream source = input;
      if (source == null || left == 0) {
        return false;
      }
      id = source.readLong();
      rank = source.readInt();
      left--;
      return true;
    }

    /** Returns the id of the current entry. */
    long id() {
      return id;
    }

    /** Returns the rank of the current entry. */
    int rank() {
      return rank;
    }

    private void closeStreams() throws IOException {
      if (output != null) {
        output.close();
      }
      if (input != null) {
        input.close();
      }
    }

    /** Removes the file. */
    @Override
    public void close() throws IOException {
      closeStreams();
      if (file != null) {
        Files.deleteIfExists(file);
      }
    }
  }

  /**
   * The order in which entries, coming by their ids, are written so that parents come before
   * children. An entry's rank is the number of times that, going up from it, a parent is younger
   * than its child. Entries of one rank may be written in the order of ids, after all of lesser
   * rank.
   *
   * <p>Confined to one running operation. Remembers some thousand parents.
   */
  private static final class ParentFirstOrder {
    private static final int SLOTS = 4096;
    private static final int DEEPEST = 4096;

    private final EntryView view = new EntryView();
    private final long[] ids = new long[SLOTS];
    private final int[] ranks = new int[SLOTS];
    private long base;

    /** Counts ranks up to this entry, which has rank 0. */
    void start(long baseId) {
      if (base != baseId) {
        base = baseId;
        Arrays.fill(ids, 0);
      }
    }

    /** Returns the rank of an entry. Does not move the cursors' positions. */
    int rank(ReadTransaction read, long id, long parentId) {
      return rank(read, id, parentId, 0);
    }

    private int rank(ReadTransaction read, long id, long parentId, int depth) {
      if (id == base || parentId == ReadTransaction.NO_ENTRY) {
        return 0;
      }
      return rankOfParent(read, parentId, depth) + (parentId > id ? 1 : 0);
    }

    private int rankOfParent(ReadTransaction read, long id, int depth) {
      int slot = (int) id & SLOTS - 1;
      if (ids[slot] == id) {
        return ranks[slot];
      }
      if (depth > DEEPEST || !read.read(id, view)) {
        throw new StoreException("entry " + id + " is missing or its own ancestor: run verify");
      }
      int rank = rank(read, id, view.parentId(), depth + 1);
      ids[slot] = id;
      ranks[slot] = rank;
      return rank;
    }
  }
}
