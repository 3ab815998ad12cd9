package org.nyala.config;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.control.ControlType;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.filter.Membership;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.limits.ServerLimits;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.CommittedChange;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.extension.AskedSearch;
import org.nyala.extension.Directory;
import org.nyala.extension.EntryControls;
import org.nyala.extension.Extension;
import org.nyala.extension.ExtensionSource;
import org.nyala.extension.Hooks;
import org.nyala.extension.Meter;
import org.nyala.extension.Place;
import org.nyala.extension.SearchKind;
import org.nyala.extension.SearchStage;

/**
 * An extension that the configuration asks for.
 *
 * <p>Immutable.
 *
 * @param offered the extension
 * @param configured its configuration
 */
public record ConfiguredExtension(OfferedExtension offered, ExtensionSource.Configured configured) {
  private static final System.Logger LOG = System.getLogger(ConfiguredExtension.class.getName());

  /** Returns a directory that has a schema, and no entries. */
  public static Directory directory(Schema schema, NyalaConfig configuration) {
    boolean computesMemberOf = IntegrityRules.computesMemberOf(configuration);
    return new Bare(
        schema,
        configuration.limits(),
        System::nanoTime,
        AttributeProviders.of(schema, computesMemberOf, true));
  }

  private record Bare(
      Schema schema, ServerLimits limits, LongSupplier nanoClock, AttributeProviders providers)
      implements Directory {
    @Override
    public boolean isStored(AttributeType type) {
      return providers.isStored(type);
    }
  }

  /** Returns the names of the attributes that need an equality index. */
  Set<String> equalityIndexes() {
    try {
      return offered.guarded(() -> Set.copyOf(configured.equalityIndexes()));
    } catch (IllegalArgumentException e) {
      throw ConfigurationException.of(key(), ErrorMessages.line(e));
    }
  }

  /** Returns the key of its object of the configuration. */
  public String key() {
    return "nyala." + offered.name();
  }

  /**
   * Opens the extension, whose faults end an operation, and never the server.
   *
   * @throws IllegalArgumentException if it fails, with its name
   */
  public Extension open() {
    Extension opened = offered.guarded(() -> Objects.requireNonNull(configured.open()));
    if (!offered.name().equals(offered.guarded(opened::name))) {
      offered.guarded(
          () -> {
            opened.close();
            return null;
          });
      throw offered.fault("it has another name once it is open");
    }
    return new Guarded(this, opened);
  }

  /**
   * An extension whose faults are logged with its name. What it encloses or checks is refused if it
   * fails, unless it restricts nothing: then it is switched off.
   *
   * <p>Thread-safe.
   */
  private static final class Guarded implements Extension, GuardedBody.Guard {
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final ConfiguredExtension origin;
    private final Extension extension;
    private final boolean restricts;
    private final String description;
    private final List<Meter> meters;
    private final AtomicBoolean isOff = new AtomicBoolean();
    private final AtomicLong toldNanos = new AtomicLong(System.nanoTime() - PAUSE_NANOS);
    private final AtomicLong heldNanos = new AtomicLong(System.nanoTime() - PAUSE_NANOS);

    Guarded(ConfiguredExtension origin, Extension extension) {
      this.origin = origin;
      this.extension = extension;
      this.restricts = origin.offered.guarded(extension::restricts);
      this.description =
          origin.offered.guarded(() -> Objects.requireNonNull(extension.description()));
      this.meters =
          origin.offered.guarded(() -> List.copyOf(extension.meters())).stream()
              .map(each -> each.readBy(() -> number(each)))
              .toList();
    }

    @Override
    public boolean restricts() {
      return restricts;
    }

    @Override
    public String name() {
      return origin.offered.name();
    }

    @Override
    public Place place() {
      return origin.offered.guarded(() -> Objects.requireNonNull(extension.place()));
    }

    @Override
    public String description() {
      return description;
    }

    @Override
    public List<Meter> meters() {
      return meters;
    }

    private long number(Meter meter) {
      try {
        return meter.value().getAsLong();
      } catch (Throwable e) {
        tell(e);
        return 0;
      }
    }

    @Override
    public Set<ControlType> controls(OperationType type) {
      return origin.offered.guarded(() -> Set.copyOf(extension.controls(type)));
    }

    @Override
    public @Nullable Membership membership(Schema schema) {
      return origin.offered.guarded(() -> extension.membership(schema));
    }

    @Override
    public Hooks hooks(Directory directory) {
      Hooks hooks =
          origin.offered.guarded(() -> Objects.requireNonNull(extension.hooks(directory)));
      Set<OperationType> types = origin.offered.guarded(() -> Set.copyOf(hooks.encloses()));
      List<ChangeRule> rules =
          origin.offered.guarded(() -> List.copyOf(hooks.rules())).stream()
              .map(each -> guarded(each, directory))
              .toList();
      List<SearchKind> searches =
          origin.offered.guarded(() -> List.copyOf(hooks.searches())).stream()
              .map(this::guarded)
              .toList();
      Hooks.Examination examination =
          guardedExamination(origin.offered.guarded(hooks::examination));
      EntryControls controls = guarded(origin.offered.guarded(hooks::entryControls));
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
          return isOff.get() ? body : GuardedBody.of(Guarded.this, hooks::around, request, body);
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
        public @Nullable EntryControls entryControls() {
          return controls;
        }
      };
    }

    private ChangeRule guarded(ChangeRule rule, Directory directory) {
      LongSupplier clock = directory.nanoClock();
      boolean isForeign = !origin.offered.origin().equals(OfferedExtension.OWN);
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
        } catch (LdapOperationException e) {
          throw e;
        } catch (Throwable e) {
          if (!goesOn(e)) {
            throw failed(e);
          }
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
            } catch (LdapOperationException e) {
              throw e;
            } catch (Throwable e) {
              if (!goesOn(e)) {
                throw failed(e);
              }
              return null;
            }
          };
    }

    private SearchKind guarded(SearchKind kind) {
      return new SearchKind() {
        @Override
        public boolean isEndless(RequestControl control) {
          try {
            return !isOff.get() && kind.isEndless(control);
          } catch (Throwable e) {
            tell(e);
            return false;
          }
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
          } catch (LdapOperationException e) {
            throw e;
          } catch (Throwable e) {
            if (!goesOn(e)) {
              throw failed(e);
            }
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

    private Hooks.@Nullable Examination guardedExamination(
        Hooks.@Nullable Examination examination) {
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
        public Outcome slice(Operation operation, SliceBudget budget)
            throws LdapOperationException {
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
          try {
            stage.ended();
          } catch (Throwable e) {
            tell(e);
          }
        }
      };
    }

    private boolean answer(BooleanSupplier question, boolean ifItFails) {
      try {
        return question.getAsBoolean();
      } catch (Throwable e) {
        tell(e);
        return ifItFails;
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
      LOG.log(System.Logger.Level.WARNING, origin.offered.fault(fault).getMessage());
    }

    @Override
    public List<ChangeListener> listeners() {
      return origin.offered.guarded(() -> List.copyOf(extension.listeners())).stream()
          .map(this::guarded)
          .toList();
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
        public boolean endsCommit(ResolvedChange change) {
          try {
            return !isOff.get() && listener.endsCommit(change);
          } catch (Throwable e) {
            tell(e);
            return false;
          }
        }

        @Override
        public Images images() {
          try {
            return isOff.get()
                ? Images.NONE
                : Objects.requireNonNull(listener.images(), "no images");
          } catch (Throwable e) {
            tell(e);
            return Images.NONE;
          }
        }
      };
    }

    @Override
    public void close() {
      try {
        extension.close();
      } catch (Throwable e) {
        tell(e);
      }
    }
  }
}
