package org.nyala.core.limits;

import org.nyala.core.limits.ServerLimits.MemoryLimits;
import org.nyala.core.limits.ServerLimits.RequestLimits;
import org.nyala.core.limits.ServerLimits.SearchLimits;
import org.nyala.core.limits.ServerLimits.SessionLimits;
import org.nyala.core.limits.ServerLimits.SortLimits;
import org.nyala.core.limits.ServerLimits.StandingLimits;
import org.nyala.core.limits.ServerLimits.UpdateLimits;

/** Limits of which one part is another one. Stateless. */
public final class TestLimits {
  private TestLimits() {}

  public static ServerLimits with(ServerLimits all, RequestLimits other) {
    return new ServerLimits(
        other,
        all.searches(),
        all.sessions(),
        all.updates(),
        all.sorting(),
        all.standing(),
        all.memory());
  }

  public static ServerLimits with(ServerLimits all, SearchLimits other) {
    return new ServerLimits(
        all.requests(),
        other,
        all.sessions(),
        all.updates(),
        all.sorting(),
        all.standing(),
        all.memory());
  }

  public static ServerLimits with(ServerLimits all, SessionLimits other) {
    return new ServerLimits(
        all.requests(),
        all.searches(),
        other,
        all.updates(),
        all.sorting(),
        all.standing(),
        all.memory());
  }

  public static ServerLimits with(ServerLimits all, UpdateLimits other) {
    return new ServerLimits(
        all.requests(),
        all.searches(),
        all.sessions(),
        other,
        all.sorting(),
        all.standing(),
        all.memory());
  }

  public static ServerLimits with(ServerLimits all, SortLimits other) {
    return new ServerLimits(
        all.requests(),
        all.searches(),
        all.sessions(),
        all.updates(),
        other,
        all.standing(),
        all.memory());
  }

  public static ServerLimits with(ServerLimits all, StandingLimits other) {
    return new ServerLimits(
        all.requests(),
        all.searches(),
        all.sessions(),
        all.updates(),
        all.sorting(),
        other,
        all.memory());
  }

  public static ServerLimits with(ServerLimits all, MemoryLimits other) {
    return new ServerLimits(
        all.requests(),
        all.searches(),
        all.sessions(),
        all.updates(),
        all.sorting(),
        all.standing(),
        other);
  }

  /** Returns the limits of requests with other ones of filters. */
  public static RequestLimits filters(RequestLimits requests, int depth, int nodes) {
    return new RequestLimits(
        depth,
        nodes,
        requests.dnLength(),
        requests.dnRdns(),
        requests.requestedAttributes(),
        requests.controls());
  }

  /** Returns the limits of requests with other ones of DNs. */
  public static RequestLimits names(RequestLimits requests, int length, int rdns) {
    return new RequestLimits(
        requests.filterDepth(),
        requests.filterNodes(),
        length,
        rdns,
        requests.requestedAttributes(),
        requests.controls());
  }

  /** Returns the limits of searches with another one of their sizes. */
  public static SearchLimits size(SearchLimits searches, int entries) {
    return new SearchLimits(
        entries,
        searches.timeLimitSeconds(),
        searches.lookThroughLimit(),
        searches.aliasDepth(),
        searches.dereferencedAttributes(),
        searches.dereferencedValues());
  }

  /** Returns the limits of connections with another time to wait for a permit. */
  public static SessionLimits admission(SessionLimits sessions, int seconds) {
    return new SessionLimits(
        sessions.inFlightPerConnection(),
        sessions.deferredPerConnection(),
        seconds,
        sessions.hashQueueSeconds(),
        sessions.hashQueue());
  }

  /** The usual limits, but hashes wait as long as a busy machine takes for those before them. */
  public static ServerLimits patient() {
    SessionLimits sessions = ServerLimits.DEFAULT.sessions();
    return with(
        ServerLimits.DEFAULT,
        new SessionLimits(
            sessions.inFlightPerConnection(),
            sessions.deferredPerConnection(),
            sessions.admissionTimeoutSeconds(),
            0,
            sessions.hashQueue()));
  }
}
