package org.nyala.core.operation.sync;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.control.PersistentSearch;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.directory.StoredEntryFacts;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dispatch.Task.Outcome;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntrySnapshot;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryFacts;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.Pace;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.EntrySending;
import org.nyala.core.operation.search.SearchPlan;
import org.nyala.core.operation.search.SearchWalk;
import org.nyala.core.operation.search.SeenEntries;
import org.nyala.core.operation.search.StoreStage;
import org.nyala.core.rights.ChangeSight;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;
import org.nyala.core.session.Operation;
import org.nyala.core.update.ChangeFeed;
import org.nyala.core.update.ChangeListener.Images;
import org.nyala.core.update.CommittedChange;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/**
 * The stage that makes a search persistent: after the existing entries it returns those that change
 * (draft-ietf-ldapext-psearch).
 *
 * <p>Confined to one running operation, but for {@link #isReady}, which any thread may call.
 */
final class PersistentSearchStage implements StoreStage, SearchWalk.AfterWalk {
  /*
   * Nothing may be lost between the existing entries and the changes that follow. So the feed is
   * joined first, which makes every later transaction take images of the entries it changes; then a
   * passage is queued for the writer, which runs once the transaction that may have begun without
   * images is committed and reported; only then does the search read the store. The entries it then
   * sends may already show changes that the feed will report: such entries carry a change number
   * that the naming context had not at the passage, and are remembered, few as they are. Changes
   * that it had came before, be it in the same commit, and are passed over. The numbers of the
   * store decide, not the clock: changes of another server have that one's time.
   */

  /** Entries remembered in order not to be sent twice; one more than that comes twice. */
  private static final int REMEMBERED = 8192;

  private static final List<ResponseControl> NO_CONTROLS = List.of();

  private final PersistentSearch wanted;
  private final Backend backend;
  private final Dn base;
  private final FollowedFeed feed;
  private final FollowerMemory held;
  private final ChangeSight sight = new ChangeSight();
  private final Map<Long, Csn> sent = new HashMap<>();

  /** The changes that were made before the search has begun. */
  private CsnVector before = CsnVector.EMPTY;

  private long sentCount;
  private @Nullable Target target;
  private @Nullable SearchWalk walk;
  private boolean begun;
  private boolean isSending;
  private @Nullable EntryMatch testing;
  private final RightsRenewal renewal = new RightsRenewal();
  private final GroupRenewal groups = new GroupRenewal();

  /** The plan and the base of the search. */
  private record Target(SearchPlan plan, Dn base) {}

  private PersistentSearchStage(
      PersistentSearch wanted, Backend backend, Dn base, FollowedFeed feed, FollowerMemory held) {
    this.base = base;
    this.held = held;
    this.wanted = wanted;
    this.backend = backend;
    this.feed = feed;
  }

  /**
   * Joins the feed.
   *
   * @param backend the store that is searched
   * @param base the name of the base of the search
   * @throws LdapOperationException adminLimitExceeded if there are too many already
   */
  public static PersistentSearchStage join(
      OperationContext directory,
      PersistentSearch wanted,
      Backend backend,
      Dn base,
      Operation operation)
      throws LdapOperationException {
    FollowerMemory held = FollowerMemory.take(directory.limits(), operation);
    try {
      Images images = isRuled(directory, operation) ? Images.BOTH : Images.LATEST;
      FollowedFeed feed = FollowedFeed.join(directory, operation, base, images);
      return new PersistentSearchStage(wanted, backend, base, feed, held);
    } catch (LdapOperationException e) {
      held.giveBack();
      throw e;
    }
  }

  /** Returns whether rules decide what the client may see: it has to be known before and after. */
  private static boolean isRuled(OperationContext directory, Operation operation) {
    return EntryRights.of(directory.control(), operation.rules()) != null;
  }

  /**
   * Returns a member of a store's queue which reports that every commit begun before it is over.
   */
  public Update passage(Operation operation) {
    return new WriterPassage(operation, backend, context -> before = present(context));
  }

  /** Returns the changes that the naming context has, those of the same commit included. */
  private CsnVector present(UpdateContext context) {
    try (ChangeJournal journal = context.transaction().journal(base)) {
      return journal == null ? context.transaction().largestCsns() : journal.present();
    }
  }

  /** Remembers an entry with a change that the feed may yet report. */
  @Override
  public void sent(SeenEntries seen, ReadTransaction transaction, EntryView view) {
    sentCount++;
    if (sent.size() < REMEMBERED) {
      Csn csn = seen.lastChange(view, transaction.attributes());
      if (csn != null && !before.covers(csn)) {
        sent.put(view.id(), csn);
      }
    }
  }

  /**
   * Sets the place in which changes are searched.
   *
   * @throws LdapOperationException unwillingToPerform if that is a store without a completed
   *     passage
   */
  public void aim(SearchPlan plan, Backend at, Dn base) throws LdapOperationException {
    if (at != backend) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM,
          "a persistent search follows no alias to another naming context");
    }
    target = new Target(plan, base);
  }

  /** Goes over the entries that are there first. */
  public void walkFirst(SearchWalk entries) {
    walk = entries.endWith(this);
  }

  /** The entries that were there are through; changes follow from the next slice on. */
  @Override
  public void begin() {
    begun = true;
  }

  @Override
  public boolean isReady() {
    return !begun || feed.isReady();
  }

  @Override
  public Outcome slice(Operation operation, SliceBudget budget) throws LdapOperationException {
    SearchWalk entries = walk;
    if (!begun && entries != null) {
      return entries.slice(operation, budget);
    }
    if (begun && !feed.isReady()) {
      return Outcome.AWAITING_CLIENT;
    }
    Target followed = target;
    if (followed != null && !renewal.go(operation, followed.plan(), budget)) {
      return Outcome.YIELDED;
    }
    if (renewal.takesOthers()) {
      // Of an entry that was tested by the former rights.
      testing = null;
    }
    return StoreStage.super.slice(operation, budget);
  }

  @Override
  public Backend backend() {
    return backend;
  }

  @Override
  public Outcome slice(Operation operation, ReadTransaction transaction, SliceBudget budget)
      throws LdapOperationException {
    Target followed = Objects.requireNonNull(target, "not begun");
    if (feed.isToBeJudged()) {
      RightsRenewal.requireReader(followed.plan().directory().current(), operation.identity());
    }
    followed.plan().beginSlice(backend, transaction);
    pass(operation, transaction, followed, budget);
    // Others have their turns before the next slice, if that has anything to do.
    feed.rest();
    return Outcome.AWAITING_CLIENT;
  }

  private void pass(
      Operation operation, ReadTransaction transaction, Target followed, SliceBudget budget)
      throws LdapOperationException {
    SearchPlan plan = followed.plan();
    for (CommittedChange change = feed.begin(plan, budget);
        change != null;
        change = feed.next(plan)) {
      if (!consider(operation, transaction, followed, change)) {
        return;
      }
      boolean _ = feed.advance();
    }
    ChangeFeed.Loss loss = feed.loss();
    if (loss != null) {
      throw lost(operation, loss);
    }
  }

  private static LdapOperationException lost(Operation operation, ChangeFeed.Loss loss) {
    return switch (loss) {
      case BEHIND ->
          new LdapOperationException(
              ResultCode.ADMIN_LIMIT_EXCEEDED,
              "the client reads changes more slowly than they are made");
      case DISPLACED -> FollowerMemory.displaced(operation);
      case REFRESHED, REPAIRED ->
          new LdapOperationException(
              ResultCode.UNAVAILABLE,
              "the naming context was refreshed from another server, in changes that have no"
                  + " order: search again");
    };
  }

  /** Deals with a change; false if the slice ends before. */
  private boolean consider(
      Operation operation, ReadTransaction transaction, Target followed, CommittedChange committed)
      throws LdapOperationException {
    if (committed.image() == null
        || before.covers(committed.csn())
        || !mayBeInScope(followed, committed.change())
        || wasSent(committed)) {
      return true;
    }
    SearchPlan plan = followed.plan();
    EntryRights rights = plan.entryRights();
    if (rights == null && !wanted.wants(type(committed.change()))) {
      return true;
    }
    StoredEntryFacts probe = plan.directory().probe(transaction);
    if (rights != null
        && !isSending
        && !sight.judge(
            rights, committed, plan.directory().scratch().view, transaction, probe, plan.pace())) {
      return false;
    }
    boolean isDone = tell(operation, transaction, followed, committed, probe);
    if (isDone) {
      sight.forget();
    }
    return isDone;
  }

  /** Tells the client of a change, if it concerns it; false if the slice ends before. */
  private boolean tell(
      Operation operation,
      ReadTransaction transaction,
      Target followed,
      CommittedChange committed,
      StoredEntryFacts probe)
      throws LdapOperationException {
    SearchPlan plan = followed.plan();
    int type = plan.rights() == null ? type(committed.change()) : typeBySight(plan, committed);
    EntrySnapshot image = image(committed, type);
    if (image == null
        || !wanted.wants(type)
        || !isInScope(followed, nameTold(committed.change(), type))) {
      return true;
    }
    if (!isSending && !isTesting() && !groups.go(plan, followed.base(), transaction)) {
      return false;
    }
    OperationScratch scratch = plan.directory().scratch();
    EntryView view = scratch.view;
    image.show(view);
    // Values that the image lacks are read in their present state; those of a deleted entry are
    // gone.
    view.largeSource(transaction);
    if (isPassedOver(plan, view.flags())) {
      return true;
    }
    if (!isSending) {
      boolean isDeleted = committed.change() instanceof ResolvedChange.Delete;
      EntryMatch test = plan.filter().testOfChange(testing, isDeleted, plan.profile(view));
      testing = test;
      EntryFacts facts = facts(committed, type, probe);
      Ternary value = scratch.match(test, image.table(), facts, plan.pace());
      probe.requireComplete();
      if (value != Ternary.TRUE) {
        return value != null;
      }
    }
    operation.session().tellsChange();
    isSending = !send(operation, transaction, plan, committed, image, type);
    return !isSending;
  }

  /** Returns whether the test of an entry was begun and has not ended. */
  private boolean isTesting() {
    EntryMatch going = testing;
    return going != null && going.isSuspended();
  }

  /** Returns the answers to what the filter asks beyond the entry that the client is told of. */
  private static EntryFacts facts(CommittedChange committed, int type, StoredEntryFacts probe) {
    EntrySnapshot present = committed.image();
    return present != null && isHidden(committed, type) ? new FormerFacts(probe, present) : probe;
  }

  /** Returns the kind of a change as the client sees it; 0 if it is none for it. */
  private int typeBySight(SearchPlan plan, CommittedChange committed) {
    Profile profile = sight.isSeen() ? sight.after() : sight.wasSeen() ? sight.before() : null;
    if (profile == null) {
      return 0;
    }
    plan.show(profile);
    if (!sight.wasSeen()) {
      return PersistentSearch.ADD;
    }
    if (!sight.isSeen()) {
      return PersistentSearch.DELETE;
    }
    return plan.isFoundOut(sight) ? type(committed.change()) : 0;
  }

  /**
   * Returns the entry that the client is told of: one that it can no longer see as it was, like one
   * that is gone.
   */
  private static @Nullable EntrySnapshot image(CommittedChange committed, int type) {
    EntrySnapshot former = committed.former();
    return !isHidden(committed, type) ? committed.image() : former == null ? null : former.gone();
  }

  /** Returns whether a change has taken the entry out of the client's sight. */
  private static boolean isHidden(CommittedChange committed, int type) {
    return type == PersistentSearch.DELETE
        && !(committed.change() instanceof ResolvedChange.Delete);
  }

  /** Returns the name of the entry that the client is told of. */
  private static Dn nameTold(ResolvedChange change, int type) {
    return change instanceof ResolvedChange.Rename rename && type != PersistentSearch.DELETE
        ? rename.newDn()
        : change.dn();
  }

  /** Sends an entry that has changed; false if the slice ends before. */
  private boolean send(
      Operation operation,
      ReadTransaction transaction,
      SearchPlan plan,
      CommittedChange committed,
      EntrySnapshot image,
      int type)
      throws LdapOperationException {
    EntryView view = plan.directory().scratch().view;
    requireRoom(plan.request().sizeLimit());
    List<ResponseControl> controls = controls(type, committed);
    if (!EntrySending.sendImage(plan, operation, transaction, view, image.table(), controls)) {
      return false;
    }
    sentCount++;
    operation.session().metrics().entriesSent().increment();
    return true;
  }

  /**
   * Ends the search if the client has all entries that it requested, including those that existed
   * at the start (RFC 4511, section 4.5.1.4). The server's limits apply to those only.
   */
  private void requireRoom(int sizeLimit) throws LdapOperationException {
    if (sizeLimit > 0 && sentCount >= sizeLimit) {
      throw new LdapOperationException(LdapResult.of(ResultCode.SIZE_LIMIT_EXCEEDED));
    }
  }

  private static int type(ResolvedChange change) {
    return switch (change) {
      case ResolvedChange.Add _ -> PersistentSearch.ADD;
      case ResolvedChange.Delete _ -> PersistentSearch.DELETE;
      case ResolvedChange.Modify _ -> PersistentSearch.MODIFY;
      case ResolvedChange.Rename _ -> PersistentSearch.MODIFY_DN;
    };
  }

  /** Returns whether a change concerns the scope, by one of its names. */
  private static boolean mayBeInScope(Target followed, ResolvedChange change) {
    return isInScope(followed, change.dn())
        || change instanceof ResolvedChange.Rename rename && isInScope(followed, rename.newDn());
  }

  private static boolean isInScope(Target followed, Dn name) {
    Dn base = followed.base();
    return name.isWithin(base)
        && followed.plan().request().scope().covers(name.rdnCount() - base.rdnCount());
  }

  /** A deleted entry is reported in any case: it cannot have been sent since. */
  private boolean wasSent(CommittedChange committed) {
    Csn csn = sent.isEmpty() ? null : sent.get(committed.entryId());
    return csn != null
        && !(committed.change() instanceof ResolvedChange.Delete)
        && !committed.csn().isAfter(csn);
  }

  private static boolean isPassedOver(SearchPlan plan, int flags) {
    boolean isSubentry = (flags & EntryRecord.SUBENTRY) != 0;
    return (flags & EntryRecord.REFERRAL) != 0 && !plan.manageDsaIt()
        || plan.controls().subentries().hides(isSubentry, plan.request().scope());
  }

  private List<ResponseControl> controls(int type, CommittedChange committed) {
    if (!wanted.returnsChanges()) {
      return NO_CONTROLS;
    }
    return List.of(
        type == PersistentSearch.MODIFY_DN
            ? PersistentSearch.renamed(committed.change().dn().raw())
            : PersistentSearch.changed(type));
  }

  /** Leaves the feed. Idempotent. */
  @Override
  public void ended() {
    feed.close();
    if (walk != null) {
      walk.ended();
    }
    if (target != null) {
      target.plan().ended();
    }
    held.giveBack();
  }

  /**
   * Answers about an entry that a client sees no longer, by the store: as if it were gone, but for
   * groups. It is a member of those that name it now or as it was.
   *
   * <p>Confined to one running operation, and to one transaction.
   */
  private static final class FormerFacts implements EntryFacts {
    private final StoredEntryFacts facts;
    private final EntryView present = new EntryView();

    /** The look-up of the former name and, once that has found nothing, of the present one. */
    private static final class Either implements LookUp {
      final LookUp former;
      final LookUp present;
      boolean isFormerDone;

      Either(LookUp former, LookUp present) {
        this.former = former;
        this.present = present;
      }
    }

    /**
     * Creates the answers.
     *
     * @param image the entry as it is
     */
    FormerFacts(StoredEntryFacts facts, EntrySnapshot image) {
      this.facts = facts;
      image.show(present);
    }

    @Override
    public boolean test(long entryId) {
      return false;
    }

    @Override
    public long snapshot() {
      return facts.snapshot();
    }

    @Override
    public boolean isComplete() {
      return facts.isComplete();
    }

    @Override
    public long number(CompiledFilter.NumberItem.Computed number, EntryView entry) {
      return facts.number(number, entry);
    }

    @Override
    public boolean hasContextCsn(CompiledFilter.ContextCsnItem test, EntryView entry) {
      return facts.hasContextCsn(test, entry);
    }

    @Override
    public boolean isMember(CompiledFilter.MemberOfItem test, EntryView entry) {
      return facts.isMember(test, entry) || facts.isMember(test, present);
    }

    @Override
    public boolean leadsTo(CompiledFilter.ChainItem test, EntryView entry) {
      return facts.leadsTo(test, present);
    }

    @Override
    public LookUp lookUp(CompiledFilter.MemberOfItem test, EntryView entry) {
      return new Either(facts.lookUp(test, entry), facts.lookUp(test, present));
    }

    @Override
    public LookUp lookUp(CompiledFilter.ChainItem test) {
      return facts.lookUp(test);
    }

    @Override
    public @Nullable Boolean goOn(LookUp lookUp, EntryView entry, Pace pace) {
      if (!(lookUp instanceof Either either)) {
        return facts.goOn(lookUp, present, pace);
      }
      if (!either.isFormerDone) {
        Boolean found = facts.goOn(either.former, entry, pace);
        if (found == null || found) {
          return found;
        }
        either.isFormerDone = true;
      }
      return facts.goOn(either.present, present, pace);
    }
  }
}
