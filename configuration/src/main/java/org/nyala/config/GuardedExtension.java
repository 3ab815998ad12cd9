package org.nyala.config;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.control.ControlType;
import org.nyala.core.directory.virtual.VirtualTree;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.Membership;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.schema.ClassSet;
import org.nyala.core.schema.Schema;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.CommittedChange;
import org.nyala.core.update.UpdateContext;
import org.nyala.error.ErrorMessages;
import org.nyala.extension.AskedSearch;
import org.nyala.extension.AttributeSource;
import org.nyala.extension.Directory;
import org.nyala.extension.EntryControls;
import org.nyala.extension.ExtendedKind;
import org.nyala.extension.Extension;
import org.nyala.extension.Hooks;
import org.nyala.extension.Meter;
import org.nyala.extension.Place;
import org.nyala.extension.PlacementRule;
import org.nyala.extension.SearchKind;
import org.nyala.extension.SearchStage;

/**
 * An extension whose faults are logged with its name. What it encloses or checks is refused if it
 * fails, unless it restricts nothing: then it is switched off.
 *
 * <p>Thread-safe.
 */
final class GuardedExtension implements Extension, GuardedBody.Guard {
  private static final System.Logger LOG = System.getLogger(GuardedExtension.class.getName());
  private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int MOST_SHOWN = 100;
  private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final OfferedExtension offered;
  private final Extension extension;
  private final boolean restricts;
  private final String description;
  private final List<Meter> meters;
  private final List<Meter.Series> series;
  private final List<ExtendedKind> extended;
  private final AtomicBoolean isOff = new AtomicBoolean();
  private final AtomicLong toldNanos = new AtomicLong(System.nanoTime() - PAUSE_NANOS);
  private final AtomicLong heldNanos = new AtomicLong(System.nanoTime() - PAUSE_NANOS);

  GuardedExtension(OfferedExtension offered, Extension extension) {
    this.offered = offered;
    this.extension = extension;
    this.restricts = offered.guarded(extension::restricts);
    this.description = offered.guarded(() -> Objects.requireNonNull(extension.description()));
    this.meters =
        all(
            () -> extension.meters(),
            each -> each.readBy(() -> answer(() -> each.value().getAsLong(), 0L)));
    this.series =
        all(
            () -> extension.series(),
            each -> each.readBy(() -> answer(() -> bounded(each.values().get()), Map.of())));
    this.extended = all(() -> extension.extended(), kind -> new GuardedKind(offered, this, kind));
  }

  /** Returns a list of the extension, each part made safe. */
  private <T, R> List<R> all(Supplier<List<T>> listed, Function<? super T, ? extends R> safe) {
    return offered.guarded(() -> List.copyOf(listed.get())).stream().<R>map(safe).toList();
  }

  @Override
  public boolean restricts() {
    return restricts;
  }

  @Override
  public String name() {
    return offered.name();
  }

  @Override
  public String version() {
    return offered.version();
  }

  @Override
  public Place place() {
    return offered.guarded(() -> Objects.requireNonNull(extension.place()));
  }

  @Override
  public String description() {
    return description;
  }

  @Override
  public List<Meter> meters() {
    return meters;
  }

  @Override
  public List<Meter.Series> series() {
    return series;
  }

  /** Returns the first of many things, in their order: each is a row wherever it is shown. */
  private static <T> Map<String, T> bounded(Map<String, T> shown) {
    Map<String, T> first = new LinkedHashMap<>();
    shown.entrySet().stream()
        .limit(MOST_SHOWN)
        .forEach(each -> first.put(each.getKey(), Objects.requireNonNull(each.getValue())));
    return Collections.unmodifiableMap(first);
  }

  @Override
  public Map<String, String> state() {
    return answer(() -> bounded(extension.state()), Map.of());
  }

  @Override
  public List<Condition> conditions() {
    return answer(() -> List.copyOf(extension.conditions()), List.of());
  }

  @Override
  public boolean isLeaving() {
    return answer(extension::isLeaving, false);
  }

  @Override
  public void stopping() {
    carryOut(extension::stopping);
  }

  @Override
  public List<ExtendedKind> extended() {
    return extended;
  }

  @Override
  public List<VirtualTree> trees() {
    return offered.guarded(() -> List.copyOf(extension.trees())).stream()
        .<VirtualTree>map(
            tree -> {
              VirtualTree.Node first = guarded(offered.guarded(tree::top));
              VirtualTree.Node empty = new VirtualTree.Node(first.rdn(), Map.of(), List::of);
              return () -> shown(() -> guarded(tree.top()), empty);
            })
        .toList();
  }

  private VirtualTree.Node guarded(VirtualTree.Node node) {
    return new VirtualTree.Node(
        node.rdn(),
        node.attributes(),
        () -> shown(() -> node.children().get().stream().map(this::guarded).toList(), List.of()));
  }

  /** Returns if it is switched off. */
  boolean isOff() {
    return isOff.get();
  }

  /** Returns what the extension shows; nothing if it fails, or is switched off. */
  <T> T shown(Supplier<T> shown, T nothing) {
    return isOff.get() ? nothing : answer(shown, nothing);
  }

  @Override
  public void opened(Directory directory) {
    offered.guarded(
        () -> {
          extension.opened(directory);
          return name();
        });
  }

  @Override
  public Backend store(Backend store, Schema schema, Path data) {
    return offered.guarded(() -> Objects.requireNonNull(extension.store(store, schema, data)));
  }

  @Override
  public boolean isCurrent() {
    return answer(extension::isCurrent, false);
  }

  @Override
  public boolean isWritable() {
    return answer(extension::isWritable, false);
  }

  @Override
  public int run(String command, List<String> arguments, PrintWriter out) {
    try {
      return extension.run(command, arguments, out);
    } catch (IllegalArgumentException | IllegalStateException e) {
      // A mistake of whoever typed it, and what cannot be done now, are no faults.
      throw e;
    } catch (Throwable e) {
      tell(e);
      throw new IllegalStateException("the extension " + name() + " has failed", e);
    }
  }

  @Override
  public Set<ControlType> controls(OperationType type) {
    return offered.guarded(() -> Set.copyOf(extension.controls(type)));
  }

  @Override
  public @Nullable Membership membership(Schema schema) {
    return offered.guarded(() -> extension.membership(schema));
  }

  @Override
  public Hooks hooks(Directory directory) {
    Hooks hooks = offered.guarded(() -> Objects.requireNonNull(extension.hooks(directory)));
    Set<OperationType> types = offered.guarded(() -> Set.copyOf(hooks.encloses()));
    List<ChangeRule> rules = all(() -> hooks.rules(), each -> guarded(each, directory));
    List<SearchKind> searches = all(() -> hooks.searches(), this::guarded);
    Hooks.Examination examination = guardedExamination(offered.guarded(hooks::examination));
    EntryControls controls = guarded(offered.guarded(hooks::entryControls));
    List<PlacementRule> placements = all(() -> hooks.placements(), this::guarded);
    List<AttributeSource> attributes = all(() -> hooks.attributes(), this::guarded);
    Map<String, List<String>> rootDse = offered.guarded(() -> Map.copyOf(hooks.rootDse()));
    return new Hooks() {
      @Override
      public @Nullable Examination examination() {
        return examination;
      }

      @Override
      public Set<OperationType> encloses() {
        return types;
      }

      @Override
      public OperationBody around(Request request, OperationBody body) {
        return isOff.get()
            ? body
            : GuardedBody.of(GuardedExtension.this, hooks::around, request, body);
      }

      @Override
      public List<ChangeRule> rules() {
        return rules;
      }

      @Override
      public List<SearchKind> searches() {
        return searches;
      }

      @Override
      public List<PlacementRule> placements() {
        return placements;
      }

      @Override
      public List<AttributeSource> attributes() {
        return attributes;
      }

      @Override
      public Map<String, List<String>> rootDse() {
        return rootDse;
      }

      @Override
      public @Nullable EntryControls entryControls() {
        return controls;
      }
    };
  }

  private ChangeRule guarded(ChangeRule rule, Directory directory) {
    LongSupplier clock = directory.nanoClock();
    boolean isForeign = !offered.origin().equals(OfferedExtension.OWN);
    return (transaction, change, cause, derived, pace) -> {
      if (isOff.get()) {
        return;
      }
      long begun = clock.getAsLong();
      int before = derived.size();
      OpenCursors cursors = isForeign ? new OpenCursors(transaction) : null;
      try {
        ReadTransaction given = cursors == null ? transaction : cursors.transaction();
        rule.check(given, change, cause, derived, pace);
        if (cursors != null && cursors.closeAll() > 0) {
          tell("it has left cursors open");
        }
      } catch (Throwable e) {
        refuse(e);
        derived.subList(before, derived.size()).clear();
      } finally {
        if (cursors != null) {
          cursors.closeAll();
        }
        held(clock.getAsLong() - begun);
      }
    };
  }

  private @Nullable EntryControls guarded(@Nullable EntryControls controls) {
    return controls == null
        ? null
        : (directory, honoured, isOpen) -> {
          try {
            return isOff.get() ? null : controls.read(directory, honoured, isOpen);
          } catch (Throwable e) {
            refuse(e);
            return null;
          }
        };
  }

  /** A check that may refuse a change. */
  @FunctionalInterface
  private interface Check {
    void run() throws LdapOperationException;
  }

  private void checked(Check check) throws LdapOperationException {
    try {
      if (!isOff.get()) {
        check.run();
      }
    } catch (Throwable e) {
      refuse(e);
    }
  }

  private PlacementRule guarded(PlacementRule rule) {
    return new PlacementRule() {
      @Override
      public void complete(Entry entry, ClassSet classes) throws LdapOperationException {
        checked(() -> rule.complete(entry, classes));
      }

      @Override
      public void checkNew(Backend backend, UpdateContext context, ClassSet classes, long parent)
          throws LdapOperationException {
        checked(() -> rule.checkNew(backend, context, classes, parent));
      }

      @Override
      public void checkMoved(ReadTransaction transaction, ClassSet classes, long superior)
          throws LdapOperationException {
        checked(() -> rule.checkMoved(transaction, classes, superior));
      }
    };
  }

  private AttributeSource guarded(AttributeSource source) {
    String oid = offered.guarded(() -> Objects.requireNonNull(source.oid()));
    return new AttributeSource() {
      @Override
      public String oid() {
        return oid;
      }

      @Override
      public List<byte[]> values(ReadTransaction transaction, EntryView view) {
        return shown(() -> List.copyOf(source.values(transaction, view)), List.of());
      }
    };
  }

  private SearchKind guarded(SearchKind kind) {
    return new SearchKind() {
      @Override
      public boolean isEndless(RequestControl control) {
        return shown(() -> kind.isEndless(control), false);
      }

      @Override
      public @Nullable SearchStage stage(AskedSearch asked, Operation operation)
          throws LdapOperationException {
        try {
          if (isOff.get()) {
            return without(asked);
          }
          SearchStage stage = kind.stage(asked, operation);
          return stage == null ? null : guardedStage(stage);
        } catch (Throwable e) {
          refuse(e);
          return without(asked);
        }
      }
    };
  }

  /** Refuses a search with a critical control that nobody honours any more (RFC 4511, 4.1.11). */
  private @Nullable SearchStage without(AskedSearch asked) throws LdapOperationException {
    for (ControlType each : controls(OperationType.SEARCH)) {
      if (asked.honoured().isCritical(each)) {
        throw new LdapOperationException(
            ResultCode.UNAVAILABLE_CRITICAL_EXTENSION,
            "the extension " + name() + " is switched off");
      }
    }
    return null;
  }

  private Hooks.@Nullable Examination guardedExamination(Hooks.@Nullable Examination examination) {
    return examination == null
        ? null
        : (entry, state, pace) -> {
          try {
            return List.copyOf(examination.faults(entry, state, pace));
          } catch (Throwable e) {
            tell(e);
            return List.of(failed(e).getMessage());
          }
        };
  }

  private SearchStage guardedStage(SearchStage stage) {
    return new SearchStage() {
      @Override
      public Outcome slice(Operation operation, SliceBudget budget) throws LdapOperationException {
        long begun = System.nanoTime();
        try {
          Outcome outcome = Objects.requireNonNull(stage.slice(operation, budget));
          held(System.nanoTime() - begun);
          return outcome;
        } catch (LdapOperationException e) {
          throw e;
        } catch (Throwable e) {
          tell(e);
          throw failed(e);
        }
      }

      @Override
      public boolean isReady() {
        return answer(stage::isReady, true);
      }

      @Override
      public boolean isInOrderOfStore() {
        return answer(stage::isInOrderOfStore, false);
      }

      @Override
      public void ended() {
        carryOut(stage::ended);
      }
    };
  }

  /** Returns what the extension answers; something else if it fails. */
  private <T> T answer(Supplier<T> question, T ifItFails) {
    try {
      return question.get();
    } catch (Throwable e) {
      tell(e);
      return ifItFails;
    }
  }

  private void carryOut(Runnable work) {
    try {
      work.run();
    } catch (Throwable e) {
      tell(e);
    }
  }

  /** Refuses the operation by a fault, unless the extension restricts nothing. */
  private void refuse(Throwable e) throws LdapOperationException {
    if (e instanceof LdapOperationException refusal) {
      throw refusal;
    }
    if (!goesOn(e)) {
      throw failed(e);
    }
  }

  private IllegalStateException failed(Throwable e) {
    return new IllegalStateException("the extension " + name() + " has failed", e);
  }

  @Override
  public boolean goesOn(Throwable fault) {
    tell(fault);
    return !restricts;
  }

  @Override
  public void held(long nanos) {
    if (nanos > SLOW_NANOS && isDue(heldNanos)) {
      warn("it has held a thread for " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms");
    }
  }

  /** Logs a fault; rethrows what nobody can go on after. */
  private void tell(Throwable e) {
    if (e instanceof VirtualMachineError fatal && !(e instanceof StackOverflowError)) {
      throw fatal;
    }
    tell(ErrorMessages.explain(e));
  }

  /** Logs a fault, once in a minute, and switches off what restricts nothing. */
  private void tell(String fault) {
    if (!restricts) {
      if (isOff.compareAndSet(false, true)) {
        warn(fault + "; it is switched off until the next start");
      }
      return;
    }
    if (isDue(toldNanos)) {
      warn(fault);
    }
  }

  /** Returns whether the last line of its kind is a minute old; notes this one. */
  private static boolean isDue(AtomicLong toldNanos) {
    long now = System.nanoTime();
    long told = toldNanos.get();
    return now - told >= PAUSE_NANOS && toldNanos.compareAndSet(told, now);
  }

  private void warn(String fault) {
    LOG.log(System.Logger.Level.WARNING, offered.fault(fault).getMessage());
  }

  @Override
  public List<ChangeListener> listeners() {
    return all(() -> extension.listeners(), this::guarded);
  }

  private ChangeListener guarded(ChangeListener listener) {
    return new ChangeListener() {
      @Override
      public void committed(List<CommittedChange> changes) {
        if (isOff.get()) {
          return;
        }
        long begun = System.nanoTime();
        try {
          listener.committed(changes);
          held(System.nanoTime() - begun);
        } catch (Throwable e) {
          tell(e);
        }
      }

      @Override
      public void replaced() {
        carryOut(listener::replaced);
      }

      @Override
      public boolean endsCommit(ResolvedChange change) {
        return answer(() -> !isOff.get() && listener.endsCommit(change), false);
      }

      @Override
      public Images images() {
        return shown(() -> Objects.requireNonNull(listener.images(), "no images"), Images.NONE);
      }
    };
  }

  @Override
  public void close() {
    carryOut(extension::close);
  }
}
