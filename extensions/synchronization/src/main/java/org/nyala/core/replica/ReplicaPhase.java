package org.nyala.core.replica;

/** The phase of a copy. */
public enum ReplicaPhase {
  /** No provider sends anything. */
  WAITING,
  /** The copy is brought up to date; its changes have no order. */
  REFRESHING,
  /** Changes come as they are made. */
  FOLLOWING,
  /** It has followed, and the provider has given no sign of life for too long to still say so. */
  SILENT,
  /** A refresh was stopped before it deleted too many entries, and waits to be confirmed. */
  GUARDED,
  /** A refresh has begun and not ended, and no provider is configured to end it. */
  UNFINISHED,
  /** The naming context is no copy any more: this server changes it. */
  PROMOTED
}
