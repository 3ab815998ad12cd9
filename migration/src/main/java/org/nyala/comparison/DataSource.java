package org.nyala.comparison;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.error.ErrorMessages;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.SnapshotRoom;
import org.nyala.lmdb.env.EntryProgress;

/**
 * The entries of a data directory, on which a server may be running. One read transaction is held
 * while they are read, as for an export.
 *
 * <p>Confined to one thread.
 */
public final class DataSource implements EntrySource {
  /** The number of entries between two looks at the space that is left for changes. */
  private static final int SLICE = 8192;

  private final Path folder;
  private final LmdbBackend backend;
  private final EntryAssembly assembly;
  private final @Nullable String base;
  private final Supplier<EntryProgress> progress;
  private final EntryView view = new EntryView();
  private final ValueCursor values = new ValueCursor();
  private String[] names = {};

  /**
   * Takes an open store.
   *
   * @param base the name of the entry at the top of what is compared; null for all entries
   * @param progress gives the receiver of the progress of each reading, which may end it
   */
  public DataSource(
      Path folder,
      LmdbBackend backend,
      EntryAssembly assembly,
      @Nullable String base,
      Supplier<EntryProgress> progress) {
    this.folder = folder;
    this.backend = backend;
    this.assembly = assembly;
    this.base = base;
    this.progress = progress;
  }

  @Override
  public String label() {
    return folder.toString();
  }

  @Override
  public void read(Consumer<ComparedEntry> reader) throws IOException {
    List<Dn> tops = base == null ? backend.namingContexts() : List.of(top(base));
    Reading reading = new Reading(reader, new SnapshotRoom(backend, System::nanoTime));
    reading.room.begin();
    try (ReadTransaction read = backend.beginRead()) {
      useNames(read.attributes());
      for (Dn top : tops) {
        long id = read.find(top);
        if (id != ReadTransaction.NO_ENTRY || top.rdnCount() == 0) {
          reading.subtree(read, id);
        } else if (base != null) {
          throw missing(base);
        }
      }
    }
  }

  private Dn top(String dn) throws IOException {
    Dn top = assembly.base(dn).dn();
    if (top == null) {
      throw missing(dn);
    }
    return top;
  }

  private IOException missing(String dn) {
    return new IOException(folder + ": there is no entry " + ErrorMessages.printable(dn));
  }

  private void useNames(AttributeTable table) {
    names = new String[table.size() + 1];
    for (int id = 1; id < names.length; id++) {
      names[id] = table.description(id).name();
    }
  }

  /** One reading of all entries. */
  private final class Reading {
    private final Consumer<ComparedEntry> reader;
    private final SnapshotRoom room;
    private final EntryProgress receiver = progress.get();
    private long examined;

    Reading(Consumer<ComparedEntry> reader, SnapshotRoom room) {
      this.reader = reader;
      this.room = room;
    }

    void subtree(ReadTransaction read, long top) throws IOException {
      SearchSpec spec =
          new SearchSpec(top, Scope.SUBTREE, CompiledFilter.Constant.TRUE, false, false);
      long after = 0;
      boolean isMore = true;
      while (isMore) {
        try (EntryCursor cursor = read.search(spec, after)) {
          isMore = slice(cursor);
          after = cursor.position();
          examined += cursor.examined();
        }
        receiver.update(examined, backend.entryCount());
        room.require();
      }
    }

    /** Reads entries for a slice; false if those were the last. */
    private boolean slice(EntryCursor cursor) throws IOException {
      while (cursor.examined() < SLICE) {
        switch (cursor.next(view, SLICE)) {
          case ENTRY -> reader.accept(assemble());
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
  }

  private ComparedEntry assemble() throws IOException {
    assembly.beginStored(view.dn());
    for (int i = 0; i < view.attributeCount(); i++) {
      String name = names[view.attributeId(i)];
      values.open(view, i);
      while (values.next()) {
        assembly.add(name, values.value());
      }
    }
    return assembly.end();
  }
}
