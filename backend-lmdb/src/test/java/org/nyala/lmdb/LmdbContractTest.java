package org.nyala.lmdb;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.BackendContract;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.entry.Entry;
import org.nyala.core.schema.AttributeType;
import org.nyala.lmdb.format.DefaultIndexes;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexKind;

/**
 * The contract of every backend, kept by this one with few, with the usual and with all indexes.
 */
class LmdbContractTest {
  abstract static class Contract extends BackendContract {
    @TempDir Path temporary;

    private int stores;

    abstract List<IndexDefinition> indexes();

    @Override
    protected Backend open(List<Entry> entries) {
      Path directory = temporary.resolve("store" + stores++);
      try {
        Files.createDirectory(directory);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      String suffix = entries.getFirst().dn().toString();
      LmdbBackend.create(directory, SCHEMA, List.of(suffix), indexes(), TestStore.SETTINGS);
      LmdbBackend backend = LmdbBackend.open(directory, SCHEMA, TestStore.SETTINGS);
      try (WriteTransaction writer = backend.beginWrite()) {
        entries.forEach(entry -> writer.apply(new ResolvedChange.Add(entry)));
        writer.commit();
      }
      return backend;
    }
  }

  @Nested
  class WithoutIndexes extends Contract {
    @Override
    List<IndexDefinition> indexes() {
      return List.of();
    }
  }

  @Nested
  class WithDefaultIndexes extends Contract {
    @Override
    List<IndexDefinition> indexes() {
      return DefaultIndexes.of(SCHEMA);
    }
  }

  @Nested
  class WithEveryIndex extends Contract {
    @Override
    List<IndexDefinition> indexes() {
      List<IndexDefinition> indexes = new ArrayList<>();
      for (AttributeType type : SCHEMA.attributeTypes()) {
        EnumSet<IndexKind> kinds = EnumSet.allOf(IndexKind.class);
        kinds.removeIf(kind -> !IndexDefinition.isPossible(type, kind));
        indexes.add(new IndexDefinition(type, kinds));
      }
      return indexes;
    }
  }
}
