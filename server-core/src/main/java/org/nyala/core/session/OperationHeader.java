package org.nyala.core.session;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.access.GuessLog;
import org.nyala.core.control.RequestControls;
import org.nyala.core.control.SessionTracking;
import org.nyala.core.dispatch.ConnectionLoopHistory;
import org.nyala.core.dispatch.Task;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.Request;
import org.nyala.core.message.Scope;
import org.nyala.core.metrics.OperationTimes;
import org.nyala.core.metrics.SliceMetrics;
import org.nyala.core.rights.AccessControl;
import org.nyala.core.rights.ClientFacts;
import org.nyala.core.rights.ClientRules;
import org.nyala.core.rights.Limit;

/**
 * The properties of an operation that are known before it runs and are logged afterwards: its
 * request, session, identity and owner.
 *
 * <p>Confined to one running operation. Part of the operation, so that it costs no object.
 */
public abstract sealed class OperationHeader extends OperationTimes implements GuessLog, Task
    permits Operation {
  /** The length of the base's name of what is no search, or was not carried out. */
  public static final int NOT_SEARCHED = -1;

  private final Session session;
  private final Request request;
  private final Object owner;
  private final String mechanism;
  private BoundIdentity identity;
  private @Nullable BoundIdentity requester;
  private @Nullable ClientRules rules;
  private RequestControls controls = RequestControls.NONE;
  private @Nullable SessionTracking tracking;
  private @Nullable BoundIdentity established;
  private boolean mustChangePassword;
  private boolean hasChangedPassword;
  private @Nullable BindExchange exchange;
  private @Nullable SecurityTrail trail;
  private int number;
  private int baseRdns = NOT_SEARCHED;
  private long examined;
  private boolean hasScanned;
  private boolean hasLookedThrough;

  /**
   * Creates the header of a request that is about to be carried out.
   *
   * @param identity the session's present identity
   * @param arrivalNanos the present time on the session's clock
   * @param decodeNanos the time taken to decode the request; 0 if it has waited since
   */
  OperationHeader(
      Session session,
      Request request,
      BoundIdentity identity,
      long arrivalNanos,
      long decodeNanos) {
    super(session.nanoClock(), arrivalNanos, decodeNanos);
    this.session = session;
    this.request = request;
    this.identity = identity;
    this.owner = session.owner(identity);
    this.mechanism = session.mechanism();
  }

  public final void number(int given) {
    number = given;
  }

  /** Its number among the requests of its session, from 0. */
  public final int number() {
    return number;
  }

  public final Request request() {
    return request;
  }

  /** The controls of the request that the operation honours. */
  public final RequestControls controls() {
    return controls;
  }

  /** Notes the controls of the request that the operation honours; before it does anything. */
  public final void honour(RequestControls honoured) {
    controls = honoured;
  }

  /** The session that it belongs to. */
  public final Session session() {
    return session;
  }

  /**
   * Returns the identity on whose behalf it runs, which determines limits, access and log entries.
   */
  public final BoundIdentity identity() {
    return identity;
  }

  /** Returns the facts about the client that access rules ask for, for the identity it acts as. */
  public final ClientFacts clientFacts() {
    return clientFacts(identity);
  }

  /** Returns the facts about the client that access rules ask for, for another identity. */
  public final ClientFacts clientFacts(BoundIdentity as) {
    return session.facts(as, mechanism);
  }

  /**
   * Returns the access rules for the client, if they are known; kept for the next operation on the
   * connection.
   *
   * @param control the rules in force
   * @return null if they have to be {@linkplain AccessControl#lookUp looked up}
   */
  public final @Nullable ClientRules knownRules(AccessControl control) {
    ClientFacts facts = clientFacts();
    ClientRules last = session.rulesFor(facts);
    ClientRules known = control.known(facts, last);
    if (known != null && known != last) {
      session.keepRules(facts, known);
    }
    return known;
  }

  /**
   * Returns the access rules for the client; null if it is root, there are no rules, or the
   * operation needs none.
   */
  public final @Nullable ClientRules rules() {
    return rules;
  }

  /**
   * Returns a bound of what the operation may take, by the access rules for its client.
   *
   * @param bound the thing that is bounded
   * @param ofServer the bound that counts unless rules name another; 0 is none
   */
  public final int limit(Limit.Bound bound, int ofServer) {
    Limit own = rules == null ? null : rules.limit();
    Integer allowed = own == null ? null : own.bounds().get(bound);
    if (allowed == null) {
      return ofServer;
    }
    return allowed == Limit.UNLIMITED ? 0 : allowed;
  }

  /** Sets the access rules for the client; before it does anything. */
  public final void decideBy(ClientRules decided) {
    rules = decided;
  }

  /** Sets another identity on whose behalf it runs from now on; before it does anything. */
  public final void actAs(BoundIdentity other) {
    requester = other.equals(identity) ? null : identity;
    identity = other;
  }

  /**
   * Sets the identity with the rights that it has to the entries of the request; before it does
   * anything.
   */
  public final void actWith(BoundIdentity rightsOfSame) {
    identity = rightsOfSame;
  }

  /** Returns the identity that has asked to act as another; null if it acts as itself. */
  public final @Nullable BoundIdentity requester() {
    return requester;
  }

  /** Returns the circumstances for logs; null if there are none to know. */
  public final @Nullable SecurityTrail trail() {
    return trail;
  }

  @Override
  public final void guessed(RefusalReason reason) {
    openTrail().refused(reason);
  }

  @Override
  public final void attemptRefused() {
    session().metrics().passwordsRefused().increment();
  }

  /** Returns the circumstances for logs, to be noted. */
  public final SecurityTrail openTrail() {
    SecurityTrail known = trail;
    if (known == null) {
      known = new SecurityTrail();
      trail = known;
    }
    return known;
  }

  /** Returns the user behind the client, as stated by it, or null. */
  public final @Nullable SessionTracking tracking() {
    return tracking;
  }

  /** Records the user behind the client. */
  public final void track(SessionTracking told) {
    tracking = told;
  }

  /** The identity that a successful bind established, or null. */
  public final @Nullable BoundIdentity established() {
    return established;
  }

  /** Sets the identity that the session takes on when this bind ends. */
  public final void establish(BoundIdentity bound) {
    established = bound;
  }

  /** Returns whether the identity that this bind establishes may change its password only. */
  public final boolean mustChangePassword() {
    return mustChangePassword;
  }

  /** Lets the identity that this bind establishes change its password, and nothing else. */
  public final void requirePasswordChange() {
    mustChangePassword = true;
  }

  /** Returns whether the operation has given the client's account another password. */
  public final boolean hasChangedPassword() {
    return hasChangedPassword;
  }

  /** Notes that the operation has given the client's account another password; before it ends. */
  public final void passwordChanged() {
    hasChangedPassword = true;
  }

  /** The exchange that this bind goes on with, or has begun; null if it takes one message. */
  public final @Nullable BindExchange exchange() {
    return exchange;
  }

  /**
   * Sets the exchange of this bind, which its session keeps or closes when the bind has ended;
   * closes the former one.
   */
  public final void exchange(BindExchange other) {
    BindExchange former = exchange;
    exchange = other;
    if (former != null) {
      former.close();
    }
  }

  /** Notes the number of RDNs of the base of a search, which is about to be carried out. */
  public final void searchBelow(int rdns) {
    baseRdns = rdns;
  }

  /** Returns the number of RDNs of the base of a search; {@link #NOT_SEARCHED} if there is none. */
  public final int baseRdns() {
    return baseRdns;
  }

  /**
   * Counts what a slice of a search has examined.
   *
   * @param candidates the number of candidates
   * @param isScan true if no index has chosen them
   * @param isTooMuch true if they are more than the search may look at
   */
  public final void examined(long candidates, boolean isScan, boolean isTooMuch) {
    examined += candidates;
    hasScanned |= isScan;
    hasLookedThrough |= isTooMuch;
  }

  /** Returns the number of candidates that a search has examined. */
  public final long examined() {
    return examined;
  }

  /** Returns whether a search has examined entries that no index has chosen. */
  public final boolean hasScanned() {
    return hasScanned;
  }

  /** Returns whether a search would have looked at more entries than it may. */
  public final boolean hasLookedThrough() {
    return hasLookedThrough;
  }

  @Override
  public final int connectionNumber() {
    return session.connectionNumber();
  }

  /** Operations on behalf of another identity are charged to the requester's own account. */
  @Override
  public final Object owner() {
    return owner;
  }

  @Override
  public final ConnectionLoopHistory loopHistory() {
    return session.loopHistory();
  }

  @Override
  public final boolean isPipelined() {
    return session.isPipelined();
  }

  @Override
  public final int costClass() {
    return operationClass().number();
  }

  private OperationClass operationClass() {
    return switch (request) {
      case Request.Search search ->
          search.scope() == Scope.BASE ? OperationClass.ENTRY_READ : OperationClass.SEARCH;
      case Request.Compare _ -> OperationClass.ENTRY_READ;
      case Request.Bind _, Request.Unbind _, Request.Abandon _ -> OperationClass.BIND;
      case Request.Extended _ -> OperationClass.EXTENDED;
      case Request.Add _, Request.Delete _, Request.Modify _, Request.ModifyDn _ ->
          OperationClass.UPDATE;
    };
  }

  /**
   * Counts a slice, on its thread. Slow hashes are left out: they cannot be divided, and their time
   * is a phase.
   */
  final void sliceTook(Lane lane, long beganNanos, long nowNanos) {
    if (lane == Lane.READ) {
      SliceMetrics slices = session.metrics().operations().slices();
      slices.took(request.type(), nowNanos, nowNanos - beganNanos);
    }
  }

  /**
   * Returns the bytes that the slice at hand has allocated in the heap, on its thread; 0 if it is
   * short. Those of slow hashes have a bound of their own.
   */
  final long sliceAllocated(Lane lane, long beganNanos, long nowNanos) {
    return lane == Lane.READ
        ? session.metrics().operations().slices().allocated(nowNanos, nowNanos - beganNanos)
        : 0;
  }

  /** Returns a description of the operation for the server's log. */
  final String description() {
    String kind = request.getClass().getSimpleName();
    return tracking == null ? kind : kind + " for " + tracking.summary();
  }
}
