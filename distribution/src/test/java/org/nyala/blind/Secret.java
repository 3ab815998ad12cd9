package org.nyala.blind;

/** The kinds of data in which two directories differ and that rules hide. */
enum Secret {
  /** A subtree, with people, groups, aliases, referrals and a subentry in it. */
  VAULT,
  /** Entries among those that clients see. */
  SIBLINGS,
  /** The number of entries below others. */
  CHILDREN,
  /** Attributes of entries that clients see. */
  ATTRIBUTES,
  /** Attributes with an option. */
  OPTIONS,
  /** Values among those that clients see. */
  VALUES,
  /** Members of groups that clients see. */
  MEMBERS,
  /** Stored passwords. */
  PASSWORDS,
  /** The state of password policies. */
  STATE
}
