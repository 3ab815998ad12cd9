package org.nyala.advice;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.nyala.config.NeededIndexes;
import org.nyala.config.NyalaConfig;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.traffic.SearchShapes;
import org.nyala.core.traffic.ShapeFigures;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.lmdb.explain.ShapeIndexes;
import org.nyala.lmdb.format.IndexDefinition;
import org.nyala.lmdb.format.IndexKind;
import org.nyala.lmdb.format.IndexUses;
import org.nyala.management.bean.AdviceMXBean;
import org.nyala.management.bean.FindingsMXBean.Finding;
import org.nyala.management.bean.FindingsMXBean.Weight;

/**
 * Advice of a running server. Its attributes are those of one moment, a second ago at most, or that
 * of the last advice.
 *
 * <p>Thread-safe. One advice is made at a time; it reads some thousand entries.
 */
public final class AdviceService implements AdviceMXBean {
  /** The attributes that the server itself looks up. */
  private static final Set<String> OWN = Set.of("objectclass", "entryuuid", "entrycsn");

  private static final int DESCRIPTORS_PERCENT = 80;
  private static final int PERCENT = 100;

  private final SearchShapes shapes;
  private final RecentLook recent;
  private final LmdbBackend store;
  private final NyalaConfig configuration;
  private final LongSupplier nanoClock;
  private final InstantSource clock;
  private final Instant start;
  private final SystemSettings system = new SystemSettings();

  /** Begins now. */
  public AdviceService(
      SearchShapes shapes,
      LmdbBackend store,
      NyalaConfig configuration,
      LongSupplier nanoClock,
      InstantSource clock) {
    this.shapes = shapes;
    this.recent = new RecentLook(shapes, nanoClock);
    this.store = store;
    this.configuration = configuration;
    this.nanoClock = nanoClock;
    this.clock = clock;
    this.start = clock.instant();
  }

  @Override
  public int getRoom() {
    return shapes.room();
  }

  @Override
  public long getObservedSeconds() {
    return recent.get().seconds();
  }

  @Override
  public long getDroppedSearches() {
    return recent.get().droppedSearches();
  }

  @Override
  public long getDroppedMicros() {
    return micros(recent.get().droppedNanos());
  }

  private static long micros(long nanos) {
    return TimeUnit.NANOSECONDS.toMicros(nanos);
  }

  @Override
  public List<Shape> getShapes() {
    return recent.get().shapes().stream().map(AdviceService::shape).toList();
  }

  private static Shape shape(ShapeFigures figures) {
    return new Shape(
        figures.number(),
        figures.shape().scope().label(),
        figures.shape().baseRdns(),
        figures.shape().text(),
        figures.shape().attributes(),
        figures.count(),
        micros(figures.nanos()),
        micros(figures.longestNanos()),
        figures.read(),
        figures.returned(),
        figures.scans(),
        figures.whole(),
        figures.sizeLimits(),
        figures.timeLimits(),
        figures.lookThroughs(),
        TimeUnit.NANOSECONDS.toSeconds(figures.ageNanos()),
        TimeUnit.NANOSECONDS.toSeconds(figures.idleNanos()));
  }

  @Override
  public List<IndexUse> getIndexUses() {
    long now = clock.millis();
    return uses(now).stream()
        .map(
            each ->
                new IndexUse(
                    each.index().toString(),
                    each.count(),
                    each.count() == 0
                        ? -1
                        : TimeUnit.MILLISECONDS.toSeconds(now - each.lastMillis())))
        .toList();
  }

  private List<IndexUses.Use> uses(long nowMillis) {
    store.indexUses().look(nowMillis);
    try (ReadTransaction read = store.beginRead()) {
      return store.indexUses().of(read.attributes(), store.indexes());
    }
  }

  @Override
  public List<Client> clients(int shape) {
    return find(shape).clients().stream()
        .map(each -> new Client(each.name(), each.address(), each.percent()))
        .toList();
  }

  private ShapeFigures find(int shape) {
    Optional<ShapeFigures> found =
        recent.get().shapes().stream().filter(each -> each.number() == shape).findFirst();
    return found.orElseThrow(
        () -> new IllegalArgumentException("there is no shape " + shape + ", or no longer"));
  }

  @Override
  public List<Part> explain(int shape) {
    return new ShapeIndexes(store, nanoClock)
        .parts(find(shape).shape().filter()).stream()
            .map(
                each ->
                    new Part(
                        each.depth(),
                        each.text(),
                        each.present(),
                        each.missing(),
                        each.entriesPerValue()))
            .toList();
  }

  @Override
  public synchronized List<Finding> advise() {
    List<Finding> all = new ArrayList<>(traffic());
    all.addAll(system());
    system.clock().ifPresent(all::add);
    all.sort(Comparator.comparing(Finding::weight).reversed());
    return all;
  }

  /** Returns the findings that traffic alone shows. */
  public synchronized List<Finding> traffic() {
    TrafficFindings traffic =
        new TrafficFindings(recent.renewed(), new ShapeIndexes(store, nanoClock));
    traffic.observation();
    traffic.missingIndexes();
    traffic.wholeReads(store.entryCount());
    traffic.limits();
    long now = clock.millis();
    traffic.unusedIndexes(
        uses(now).stream().filter(each -> !isNeeded(each.index())).toList(),
        Duration.between(start, clock.instant()),
        now);
    return traffic.all();
  }

  /** Returns the findings about the settings of the system, without those about its clock. */
  public List<Finding> system() {
    List<Finding> all =
        new ArrayList<>(
            system.memory(
                configuration.data(),
                store.status().space().usedBytes(),
                configuration.store().readAhead()));
    descriptors().ifPresent(all::add);
    return all;
  }

  /** Returns whether the server, or its configuration, needs an index whatever clients search. */
  private boolean isNeeded(IndexDefinition index) {
    return index.type().names().stream().anyMatch(name -> OWN.contains(lower(name)))
        || index.kinds().contains(IndexKind.EQUALITY)
            && NeededIndexes.needing(configuration, index.type()).isPresent();
  }

  private static String lower(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  private static Optional<Finding> descriptors() {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix) {
      long open = unix.getOpenFileDescriptorCount();
      long most = unix.getMaxFileDescriptorCount();
      if (open * PERCENT >= most * DESCRIPTORS_PERCENT) {
        return Optional.of(
            new Finding(
                Weight.WARNING,
                "descriptors",
                open + " of the " + most + " file descriptors of the process are open",
                "ulimit -n"));
      }
    }
    return Optional.empty();
  }

  @Override
  public void reset() {
    recent.clear();
  }
}
