package org.nyala.cluster;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.CopySource;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.LogMark;
import org.nyala.core.backend.Promotion;
import org.nyala.core.backend.SearchProgress;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.ValueOrder;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.schema.MatchingRule;

/** A transaction whose reads are those of another one. Confined to the thread that began it. */
abstract class PassedTransaction implements WriteTransaction {
  private final WriteTransaction inner;

  PassedTransaction(WriteTransaction inner) {
    this.inner = inner;
  }

  final WriteTransaction inner() {
    return inner;
  }

  @Override
  public final long snapshot() {
    return inner.snapshot();
  }

  @Override
  public final CsnVector contextCsns(long topId) {
    return inner.contextCsns(topId);
  }

  @Override
  public final @Nullable ChangeJournal journal(Dn name) {
    return inner.journal(name);
  }

  @Override
  public final @Nullable Promotion promotion(Dn suffix) {
    return inner.promotion(suffix);
  }

  @Override
  public final @Nullable ContextHistory history(Dn suffix) {
    return inner.history(suffix);
  }

  @Override
  public final @Nullable CopySource source(Dn suffix) {
    return inner.source(suffix);
  }

  @Override
  public final ContextEpochs epochs(Dn suffix) {
    return inner.epochs(suffix);
  }

  @Override
  public final @Nullable LogMark logMark() {
    return inner.logMark();
  }

  @Override
  public final AttributeTable attributes() {
    return inner.attributes();
  }

  @Override
  public final long find(Dn dn) {
    return inner.find(dn);
  }

  @Override
  public final int distanceToNearest(Dn dn) {
    return inner.distanceToNearest(dn);
  }

  @Override
  public final boolean read(long entryId, EntryView view) {
    return inner.read(entryId, view);
  }

  @Override
  public final <T> @Nullable T readAside(long entryId, Function<EntryView, @Nullable T> reader) {
    return inner.readAside(entryId, reader);
  }

  @Override
  public final boolean mayHoldReferralsOrAliases() {
    return inner.mayHoldReferralsOrAliases();
  }

  @Override
  public final @Nullable LargeValues largeValues(EntryView view, int index) {
    return inner.largeValues(view, index);
  }

  @Override
  public final boolean hasSubordinates(long entryId) {
    return inner.hasSubordinates(entryId);
  }

  @Override
  public final long subordinateCount(long entryId) {
    return inner.subordinateCount(entryId);
  }

  @Override
  public final EntryCursor search(SearchSpec spec, long afterEntryId) {
    return inner.search(spec, afterEntryId);
  }

  @Override
  public final EntryCursor search(
      SearchSpec spec, long afterEntryId, @Nullable SearchProgress progress) {
    return inner.search(spec, afterEntryId, progress);
  }

  @Override
  public final @Nullable ValueOrder valueOrder(
      AttributeSelector attribute, MatchingRule rule, byte[] position) {
    return inner.valueOrder(attribute, rule, position);
  }

  @Override
  public final CsnVector largestCsns() {
    return inner.largestCsns();
  }

  @Override
  public final long nextEntryId() {
    return inner.nextEntryId();
  }
}
