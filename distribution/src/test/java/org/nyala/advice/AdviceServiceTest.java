package org.nyala.advice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.config.ConfigurationFile;
import org.nyala.config.NyalaConfig;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.traffic.SearchShapes;
import org.nyala.error.Installation;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.management.bean.AdviceMXBean.IndexUse;
import org.nyala.management.bean.FindingsMXBean.Finding;
import org.nyala.management.bean.FindingsMXBean.Weight;
import org.nyala.process.LocalCommands;

/** Advice about the uses of indexes, by a clock of the test. */
class AdviceServiceTest {
  private static final Instant START = Instant.parse("2026-12-01T00:00:00Z");

  @TempDir Path folder;

  private final LocalCommands commands = new LocalCommands();
  private final AtomicReference<Instant> now = new AtomicReference<>(START);

  @BeforeEach
  void load() throws IOException {
    Path file = folder.resolve("nyala.conf");
    Files.writeString(
        file,
        """
        nyala {
          data = "%s", suffixes = ["dc=example,dc=com"]
          indexes { objectClass = [eq], entryUUID = [eq], uid = [eq], cn = [eq, sub], member = [eq] }
          referentialIntegrity.attributes = [member]
        }
        """
            .formatted(folder.resolve("data")));
    Path ldif = folder.resolve("people.ldif");
    commands.shouldSucceed(file, "sample", "200", "-o", ldif.toString());
    commands.shouldSucceed(file, "import", ldif.toString());
  }

  private NyalaConfig configuration() {
    return ConfigurationFile.read(folder.resolve("nyala.conf"), folder);
  }

  private AdviceService service(LmdbBackend backend) {
    return service(backend, System::nanoTime);
  }

  private AdviceService service(LmdbBackend backend, LongSupplier nanoClock) {
    SearchShapes shapes =
        new SearchShapes(64, () -> backend.extendedSchema().schema(), nanoClock, 1);
    return new AdviceService(shapes, backend, configuration(), nanoClock, now::get);
  }

  private LmdbBackend open() throws IOException {
    NyalaConfig configuration = configuration();
    Schema schema = configuration.schema(Installation.current());
    return LmdbBackend.open(configuration.data(), schema, configuration.store());
  }

  private static void searchByUid(LmdbBackend backend) {
    AttributeType uid =
        Objects.requireNonNull(backend.extendedSchema().schema().attributeType("uid"));
    CompiledFilter filter =
        new CompiledFilter.ValueItem(
            new AttributeSelector(AttributeDescription.of(uid)),
            CompiledFilter.ValueItem.Comparison.EQUALITY,
            Objects.requireNonNull(uid.equality()),
            new byte[] {'x'});
    try (ReadTransaction read = backend.beginRead();
        EntryCursor cursor =
            read.search(
                new SearchSpec(ReadTransaction.NO_ENTRY, Scope.SUBTREE, filter, false, false), 0)) {
      assertThat(cursor.next(new EntryView(), 1)).isEqualTo(EntryCursor.Step.END);
    }
  }

  @Test
  void shouldAdviseToDropAnIndexThatNobodyUsesForAWeek() throws Exception {
    try (LmdbBackend backend = open()) {
      AdviceService service = service(backend);
      searchByUid(backend);
      now.set(START.plus(Duration.ofMinutes(5)));
      assertThat(service.traffic())
          .filteredOn(each -> each.area().equals("indexes"))
          .containsExactly(
              new Finding(
                  Weight.OK,
                  "indexes",
                  "not used since the server was started, 5 minutes ago, which is too short to"
                      + " drop them: cn:eq, cn:sub",
                  ""));
      now.set(START.plus(Duration.ofDays(6)));
      searchByUid(backend);
      assertThat(service.getIndexUses())
          .contains(new IndexUse("uid:eq", 2, 0), new IndexUse("cn:sub", 0, -1));
      now.set(START.plus(Duration.ofDays(8)));
      assertThat(unused(service))
          .containsExactly("nyala index drop cn:eq", "nyala index drop cn:sub");
      now.set(START.plus(Duration.ofDays(14)));
      assertThat(unused(service)).contains("nyala index drop uid:eq").hasSize(3);
    }
  }

  @Test
  void shouldLookAtTheTableOnceASecondForAllFigures() throws Exception {
    AtomicLong millis = new AtomicLong();
    try (LmdbBackend backend = open()) {
      AdviceService service = service(backend, () -> TimeUnit.MILLISECONDS.toNanos(millis.get()));
      millis.set(900);
      assertThat(service.getObservedSeconds()).isZero();
      millis.set(1500);
      assertThat(service.getObservedSeconds()).isZero();
      assertThat(service.getShapes()).isEmpty();
      assertThat(service.getDroppedSearches() + service.getDroppedMicros()).isZero();
      millis.set(1900);
      assertThat(service.getObservedSeconds()).isEqualTo(1);
      millis.set(2100);
      assertThat(service.getObservedSeconds()).isEqualTo(1);
      // An advice looks for itself, and what is asked next belongs to it.
      assertThat(service.traffic()).isNotEmpty();
      assertThat(service.getObservedSeconds()).isEqualTo(2);
      service.reset();
      assertThat(service.getObservedSeconds()).isZero();
    }
  }

  private static List<String> unused(AdviceService service) {
    return service.traffic().stream()
        .filter(each -> each.weight() == Weight.ADVICE && each.area().equals("indexes"))
        .map(Finding::command)
        .toList();
  }
}
