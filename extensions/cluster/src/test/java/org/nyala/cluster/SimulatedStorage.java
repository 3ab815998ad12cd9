package org.nyala.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.InMemoryBackend;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.admin.StoreVerifier;
import org.nyala.lmdb.env.EntryProgress;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.format.IndexDefinition;

/** The stores of simulated members, all with the same first entries. */
final class SimulatedStorage {
  static final Schema SCHEMA = SchemaLoader.standard();
  static final Dn TOP = dn("dc=example,dc=com");
  static final List<Dn> LISTS =
      List.of(dn("cn=list0,dc=example,dc=com"), dn("cn=list1,dc=example,dc=com"));

  private static final LmdbSettings SETTINGS = LmdbSettings.DEFAULT.withMapSizeBytes(64L << 20);

  private SimulatedStorage() {}

  static Dn dn(String text) {
    try {
      return DnParser.parse(SCHEMA, text);
    } catch (InvalidDnException e) {
      throw new IllegalArgumentException(e);
    }
  }

  static AttributeDescription description(String name) {
    AttributeDescription found = AttributeDescription.parse(SCHEMA, name);
    if (found == null) {
      throw new IllegalArgumentException(name);
    }
    return found;
  }

  static Entry entry(Dn name, String... attributes) {
    Entry entry = new Entry(name);
    for (int i = 0; i < attributes.length; i += 2) {
      entry.add(description(attributes[i]), attributes[i + 1].getBytes(UTF_8));
    }
    return entry;
  }

  private static List<Entry> first() {
    return List.of(
        entry(TOP, "objectClass", "domain", "dc", "example"),
        entry(LISTS.get(0), "objectClass", "device", "cn", "list0", "description", "begin"),
        entry(LISTS.get(1), "objectClass", "device", "cn", "list1", "description", "begin"));
  }

  /** A store in memory; a crash keeps what was committed. */
  static SimulatedNode.Storage inMemory() {
    return new SimulatedNode.Storage() {
      private InMemoryBackend.@Nullable Backup kept;

      @Override
      public Backend open() {
        InMemoryBackend backend = new InMemoryBackend(SCHEMA, first());
        InMemoryBackend.Backup committed = kept;
        if (committed != null) {
          backend.lose(committed);
        }
        return backend;
      }

      @Override
      public void crash(Backend opened) {
        kept = ((InMemoryBackend) opened).backup();
      }

      @Override
      public void release(Backend opened) {
        // Its threads have ended, and nothing refers to it.
      }

      @Override
      public void close() {
        // Nothing is open.
      }
    };
  }

  /**
   * Makes a store on disk that others are copied from: its history has an identity.
   *
   * @param directory an empty directory
   */
  static void createLmdb(Path directory) {
    createEmptyLmdb(directory);
    try (LmdbBackend backend = openLmdb(directory);
        WriteTransaction write = backend.beginWrite()) {
      first().forEach(each -> write.apply(new ResolvedChange.Add(each)));
      write.commit();
    }
  }

  /** Makes a store on disk without entries. */
  static void createEmptyLmdb(Path directory) {
    LmdbBackend.create(
        directory,
        SCHEMA,
        List.of(TOP.toString()),
        List.of(IndexDefinition.parse(SCHEMA, "objectClass", "eq")),
        SETTINGS);
  }

  static LmdbBackend openLmdb(Path directory) {
    return LmdbBackend.open(directory, SCHEMA, SETTINGS);
  }

  /** Makes a store on disk, a copy of another one; it is verified and deleted at the end. */
  static SimulatedNode.Storage lmdb(Path source) {
    Path directory;
    try {
      directory = Files.createTempDirectory("simulated");
      Files.copy(
          source.resolve("data.mdb"),
          directory.resolve("data.mdb"),
          StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new SimulatedNode.Storage() {
      @Override
      public Backend open() {
        return openLmdb(directory);
      }

      @Override
      public void crash(Backend opened) {
        // A commit is in the file or not.
      }

      @Override
      public void release(Backend opened) {
        opened.close();
      }

      @Override
      public void close() {
        StoreVerifier.Report report =
            StoreVerifier.verify(directory, SCHEMA, 10, EntryProgress.NONE);
        try (Stream<Path> files = Files.walk(directory)) {
          files.sorted(Comparator.reverseOrder()).forEach(each -> each.toFile().delete());
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
        if (!report.isSound()) {
          throw new AssertionError("a store is not sound: " + report.problems());
        }
      }
    };
  }
}
