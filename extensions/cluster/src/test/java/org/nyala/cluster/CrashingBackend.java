package org.nyala.cluster;

import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.CopySource;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.LogMark;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.schema.load.ExtendedSchema;

/** A store that tells before and after each commit. */
final class CrashingBackend implements Backend {
  private final Backend inner;
  private final Runnable beginning;
  private final IntConsumer place;
  private final SimulatedFault fault;

  CrashingBackend(Backend inner, IntConsumer place, SimulatedFault fault) {
    this(inner, () -> {}, place, fault);
  }

  /** Runs something before each transaction for changes, too. */
  CrashingBackend(Backend inner, Runnable beginning, IntConsumer place, SimulatedFault fault) {
    this.inner = inner;
    this.beginning = beginning;
    this.fault = fault;
    this.place = place;
  }

  @Override
  public List<Dn> namingContexts() {
    return inner.namingContexts();
  }

  @Override
  public ReadTransaction beginRead() {
    return inner.beginRead();
  }

  @Override
  public WriteTransaction beginWrite() {
    beginning.run();
    return new Crashing(inner.beginWrite());
  }

  @Override
  public @Nullable ExtendedSchema extendedSchema() {
    return inner.extendedSchema();
  }

  @Override
  public void close() {
    inner.close();
  }

  private final class Crashing extends PassedTransaction {
    private @Nullable LogMark beside;

    Crashing(WriteTransaction inner) {
      super(inner);
    }

    @Override
    public void commit() {
      place.accept(SimulatedNode.BEFORE_COMMIT);
      inner().commit();
      place.accept(SimulatedNode.AFTER_COMMIT);
      LogMark left = beside;
      if (left != null) {
        inner().close();
        try (WriteTransaction write = inner.beginWrite()) {
          write.note(left);
          write.commit();
        }
      }
    }

    @Override
    public long apply(ResolvedChange change, Csn csn) {
      return inner().apply(change, csn);
    }

    @Override
    public long apply(ResolvedChange change) {
      return inner().apply(change);
    }

    @Override
    public void note(Dn name, Csn csn) {
      inner().note(name, csn);
    }

    @Override
    public void raise(Dn name, CsnVector csns) {
      inner().raise(name, csns);
    }

    @Override
    public void note(Dn suffix, Promotion promotion) {
      inner().note(suffix, promotion);
    }

    @Override
    public void note(Dn suffix, ContextHistory history) {
      inner().note(suffix, history);
    }

    @Override
    public void noteSource(Dn suffix, CopySource source) {
      inner().noteSource(suffix, source);
    }

    @Override
    public void note(Dn suffix, ContextEpochs epochs) {
      inner().note(suffix, epochs);
    }

    @Override
    public void note(LogMark mark) {
      if (fault == SimulatedFault.MARK_BESIDE) {
        beside = mark;
      } else {
        inner().note(mark);
      }
    }

    @Override
    public void replace(Dn name, CsnVector csns) {
      inner().replace(name, csns);
    }

    @Override
    public void beginPart() {
      inner().beginPart();
    }

    @Override
    public void keepPart() {
      inner().keepPart();
    }

    @Override
    public void undoPart() {
      inner().undoPart();
    }

    @Override
    public void changeSchema(ExtendedSchema schema) {
      inner().changeSchema(schema);
    }

    @Override
    public void close() {
      inner().close();
    }
  }
}
