package org.nyala.loadtest.result;

/** The things that happen while operations run, and are counted in the measured period. */
public enum Occurrence {
  /** A login that was the first one of its person, which a server may answer more slowly. */
  FIRST_LOGIN("firstLogins"),
  /** A handshake of TLS that both sides completed. */
  HANDSHAKE("tlsHandshakes"),
  /** A handshake of TLS that resumed a session. */
  RESUMED_HANDSHAKE("resumedHandshakes"),
  /** A request that was sent to the server of a referral. */
  FOLLOWED_REFERRAL("followedReferrals");

  private final String key;

  Occurrence(String key) {
    this.key = key;
  }

  /** The name of the count in results. */
  public String key() {
    return key;
  }
}
