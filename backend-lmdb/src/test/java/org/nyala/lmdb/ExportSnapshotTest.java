package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.ldif.LdifWriter;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.export.LdifExport;
import org.nyala.lmdb.ldif.ImportResult;

/** Exports while entries are moved, renamed and changed. */
class ExportSnapshotTest extends ImportTestCase {
  private static final int UNITS = 12;
  private static final int PEOPLE = 20;

  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private final List<String> units = new ArrayList<>();

  @Test
  void shouldWriteOneMomentWhileSubtreesMove() throws IOException {
    loadUnits();
    long seed = Seeds.seed();
    Random random = new Random(seed);
    try (LmdbBackend backend = LmdbBackend.open(data, SCHEMA, TestStore.SETTINGS)) {
      export(backend, () -> move(backend, random));
    }
    String ldif = output.toString(StandardCharsets.UTF_8);
    data = directory.resolve("again");
    ImportResult result = load(settings(), ldif);
    assertThat(result.firstRejections()).as("seed %s", seed).isEmpty();
    assertThat(result.entriesImported()).as("seed %s", seed).isEqualTo(1 + UNITS * (PEOPLE + 1));
    assertSound();
  }

  @Test
  void shouldEndBeforeChangesFindNoRoom() throws IOException {
    loadUnits();
    LmdbSettings small =
        TestStore.SETTINGS
            .withMapSizeBytes(4 << 20)
            .with(draft -> draft.maximumMapSizeBytes = 4 << 20);
    try (LmdbBackend backend = LmdbBackend.open(data, SCHEMA, small)) {
      assertThatThrownBy(() -> export(backend, () -> describe(backend)))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("to free space for changes");
      describe(backend);
    }
    assertSound();
  }

  @Test
  void shouldEndBeforeChangesFindNoRoomWhileTheReaderIsSlow() throws IOException {
    loadUnits("description: " + "d".repeat(1000) + "\n");
    LmdbSettings small =
        TestStore.SETTINGS
            .withMapSizeBytes(4 << 20)
            .with(draft -> draft.maximumMapSizeBytes = 4 << 20);
    try (LmdbBackend backend = LmdbBackend.open(data, SCHEMA, small)) {
      LdifWriter writer = new LdifWriter(new Filling(backend), LdifWriter.NO_FOLDING);
      AtomicLong clock = new AtomicLong();
      LdifExport export =
          new LdifExport(
              backend,
              SCHEMA,
              CompiledFilter.Constant.TRUE,
              writer,
              LdifExport.SLICE,
              () -> clock.addAndGet(TimeUnit.SECONDS.toNanos(2)));
      assertThatThrownBy(() -> export.run(null))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("to free space for changes");
      describe(backend);
    }
    assertSound();
  }

  /** A reader that takes so long for the first piece that changes have filled the store. */
  private static final class Filling extends OutputStream {
    private final LmdbBackend backend;
    private boolean isFilled;

    Filling(LmdbBackend backend) {
      this.backend = backend;
    }

    @Override
    public void write(int value) {
      write(new byte[1], 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) {
      assertThat(isFilled).as("continued").isFalse();
      StoreStatus status = backend.status();
      while (status.space().usedBytes()
          <= status.space().maximumBytes() - status.space().maximumBytes() / 8) {
        describe(backend);
        status = backend.status();
      }
      isFilled = true;
    }
  }

  private void loadUnits() throws IOException {
    loadUnits("");
  }

  private void loadUnits(String more) throws IOException {
    StringBuilder ldif = new StringBuilder(TOP);
    for (int i = 0; i < UNITS; i++) {
      String unit = "ou=u" + i + ",dc=example,dc=com";
      units.add(unit);
      ldif.append("dn: ").append(unit).append("\nobjectClass: organizationalUnit\n\n");
      for (int j = 0; j < PEOPLE; j++) {
        ldif.append(
            person("p" + i + "-" + j, more)
                .replaceFirst(",dc=example", ",ou=u" + i + ",dc=example"));
      }
    }
    assertThat(load(settings(), ldif.toString()).firstRejections()).isEmpty();
  }

  private void export(LmdbBackend backend, Runnable between) throws IOException {
    LdifWriter writer = new LdifWriter(output, LdifWriter.NO_FOLDING);
    new LdifExport(backend, SCHEMA, CompiledFilter.Constant.TRUE, writer, 5, System::nanoTime)
        .telling((_, _) -> between.run(), 0)
        .run(null);
  }

  /** Moves a unit with all entries below it to below another one, often a younger one. */
  private void move(LmdbBackend backend, Random random) {
    String from = units.get(random.nextInt(UNITS));
    String below = units.get(random.nextInt(UNITS));
    if (below.endsWith(from)) {
      below = "dc=example,dc=com";
    }
    String to = from.substring(0, from.indexOf(',') + 1) + below;
    if (to.equals(from)) {
      return;
    }
    try (WriteTransaction write = backend.beginWrite()) {
      Dn dn = TestStore.dn(from);
      write.apply(new ResolvedChange.Rename(dn, write.find(dn), TestStore.dn(to), List.of()));
      write.commit();
    }
    units.replaceAll(
        unit -> unit.endsWith(from) ? unit.substring(0, unit.length() - from.length()) + to : unit);
  }

  private static void describe(LmdbBackend backend) {
    try (WriteTransaction write = backend.beginWrite()) {
      Dn dn = TestStore.dn("dc=example,dc=com");
      AttributeDescription description = AttributeDescription.parse(SCHEMA, "description");
      byte[] value = "x".repeat(100_000).getBytes(StandardCharsets.UTF_8);
      write.apply(
          new ResolvedChange.Modify(
              dn,
              write.find(dn),
              List.of(new AttributeChange.Replaced(description, List.of(value)))));
      write.commit();
    }
  }
}
