package org.nyala.config;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.control.ControlType;
import org.nyala.core.filter.Membership;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.OperationType;
import org.nyala.core.message.Request;
import org.nyala.core.message.RequestControl;
import org.nyala.core.schema.Schema;
import org.nyala.core.session.Operation;
import org.nyala.core.session.OperationBody;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.CommittedChange;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.extension.AskedSearch;
import org.nyala.extension.Directory;
import org.nyala.extension.Extension;
import org.nyala.extension.ExtensionSource;
import org.nyala.extension.Hooks;
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

  /**
   * Opens the extension, whose faults end an operation, and never the server.
   *
   * @throws IllegalArgumentException if it fails, with its name
   */
  public Extension open() {
    Extension opened = guarded(() -> Objects.requireNonNull(configured.open()));
    if (!offered.name().equals(guarded(opened::name))) {
      opened.close();
      throw fault("it has another name once it is open");
    }
    return new Guarded(this, opened);
  }

  private <T extends @Nullable Object> T guarded(Supplier<T> call) {
    try {
      return call.get();
    } catch (IllegalArgumentException e) {
      throw e;
    } catch (ConfigurationException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    } catch (RuntimeException | LinkageError e) {
      throw fault(ErrorMessages.line(e));
    }
  }

  private IllegalArgumentException fault(String why) {
    return new IllegalArgumentException(
        "the extension " + offered.name() + " (" + offered.origin() + ") fails: " + why);
  }

  /**
   * An extension whose faults are logged with its name. What it encloses or checks is refused if it
   * fails: it may be there to restrict.
   *
   * <p>Thread-safe.
   */
  private static final class Guarded implements Extension {
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final ConfiguredExtension origin;
    private final Extension extension;
    private final AtomicLong toldNanos = new AtomicLong(System.nanoTime() - PAUSE_NANOS);

    Guarded(ConfiguredExtension origin, Extension extension) {
      this.origin = origin;
      this.extension = extension;
    }

    @Override
    public String name() {
      return origin.offered.name();
    }

    @Override
    public Place place() {
      return origin.guarded(() -> Objects.requireNonNull(extension.place()));
    }

    @Override
    public Set<ControlType> controls(OperationType type) {
      return origin.guarded(() -> Set.copyOf(extension.controls(type)));
    }

    @Override
    public @Nullable Membership membership(Schema schema) {
      return origin.guarded(() -> extension.membership(schema));
    }

    @Override
    public Hooks hooks(Directory directory) {
      Hooks hooks = origin.guarded(() -> Objects.requireNonNull(extension.hooks(directory)));
      Set<OperationType> types = origin.guarded(() -> Set.copyOf(hooks.encloses()));
      List<ChangeRule> rules =
          origin.guarded(() -> List.copyOf(hooks.rules())).stream()
              .map(each -> guarded(each, directory))
              .toList();
      List<SearchKind> searches =
          origin.guarded(() -> List.copyOf(hooks.searches())).stream().map(this::guarded).toList();
      return new Hooks() {
        @Override
        public Set<OperationType> encloses() {
          return types;
        }

        @Override
        public OperationBody around(Request request, OperationBody body) {
          try {
            return Objects.requireNonNull(hooks.around(request, body));
          } catch (RuntimeException | LinkageError e) {
            tell(e);
            return (_, _) -> {
              throw new IllegalStateException("the extension " + name() + " has failed", e);
            };
          }
        }

        @Override
        public List<ChangeRule> rules() {
          return rules;
        }

        @Override
        public List<SearchKind> searches() {
          return searches;
        }
      };
    }

    private ChangeRule guarded(ChangeRule rule, Directory directory) {
      LongSupplier clock = directory.nanoClock();
      return (transaction, change, cause, derived, pace) -> {
        long begun = clock.getAsLong();
        try {
          rule.check(transaction, change, cause, derived, pace);
        } catch (RuntimeException | LinkageError e) {
          tell(e);
          throw e;
        }
        long taken = clock.getAsLong() - begun;
        if (taken > SLOW_NANOS) {
          tell("it has held all changes up for " + TimeUnit.NANOSECONDS.toMillis(taken) + " ms");
        }
      };
    }

    private SearchKind guarded(SearchKind kind) {
      return new SearchKind() {
        @Override
        public boolean isEndless(RequestControl control) {
          try {
            return kind.isEndless(control);
          } catch (RuntimeException | LinkageError e) {
            tell(e);
            return false;
          }
        }

        @Override
        public @Nullable SearchStage stage(AskedSearch asked, Operation operation)
            throws LdapOperationException {
          try {
            return kind.stage(asked, operation);
          } catch (RuntimeException | LinkageError e) {
            tell(e);
            throw e;
          }
        }
      };
    }

    private void tell(Throwable e) {
      tell(ErrorMessages.explain(e));
    }

    /** Logs a fault, once in a minute. */
    private void tell(String fault) {
      long now = System.nanoTime();
      long told = toldNanos.get();
      if (now - told >= PAUSE_NANOS && toldNanos.compareAndSet(told, now)) {
        LOG.log(System.Logger.Level.WARNING, origin.fault(fault).getMessage());
      }
    }

    @Override
    public List<ChangeListener> listeners() {
      return origin.guarded(() -> List.copyOf(extension.listeners())).stream()
          .map(this::guarded)
          .toList();
    }

    private ChangeListener guarded(ChangeListener listener) {
      return new ChangeListener() {
        @Override
        public void committed(List<CommittedChange> changes) {
          try {
            listener.committed(changes);
          } catch (RuntimeException | LinkageError e) {
            tell(e);
          }
        }

        @Override
        public boolean endsCommit(ResolvedChange change) {
          try {
            return listener.endsCommit(change);
          } catch (RuntimeException | LinkageError e) {
            tell(e);
            return false;
          }
        }

        @Override
        public Images images() {
          try {
            return Objects.requireNonNull(listener.images(), "no images");
          } catch (RuntimeException | LinkageError e) {
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
      } catch (RuntimeException | LinkageError e) {
        tell(e);
      }
    }
  }
}
