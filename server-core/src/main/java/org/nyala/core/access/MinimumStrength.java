package org.nyala.core.access;

import org.nyala.core.limits.Key;

/**
 * The strengths of encryption that operations take, in bits of the key as in slapd's security
 * strength factors (slapd.conf(5), {@code security}).
 *
 * <p>Immutable.
 *
 * @param any that of every operation but StartTLS, Abandon, Unbind and a look at the root DSE; 0 is
 *     none
 * @param simpleBind that of a bind with a password; 0 is none
 * @param sparesThisMachine true if clients that come over loopback may bind without
 * @param write that of every change; 0 is none
 */
public record MinimumStrength(
    @Key(to = 256) int any, int simpleBind, boolean sparesThisMachine, @Key(to = 256) int write) {
  /** Requires nothing. */
  public static final MinimumStrength NONE = new MinimumStrength(0, 0, true, 0);

  /** The bits of the weakest cipher that is used today. */
  public static final int STRONG_BITS = 128;

  /** Protects passwords on their way through a network. */
  public static final MinimumStrength DEFAULT = new MinimumStrength(0, STRONG_BITS, true, 0);

  /** Returns the bits that a bind with a password takes. */
  public int ofBind(boolean isOnThisMachine) {
    return isOnThisMachine && sparesThisMachine ? 0 : simpleBind;
  }
}
