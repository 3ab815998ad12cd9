package org.nyala.lmdb.format;

/**
 * The progress of building or deleting one kind of index.
 *
 * <p>Immutable.
 *
 * @param attribute the name of the attribute type
 * @param kind the kind of index
 * @param isBuilding true if keys are added, false if they are deleted
 * @param done the entry id up to which entries are indexed; 0 while keys are deleted
 * @param total the largest entry id
 */
public record IndexProgress(
    String attribute, IndexKind kind, boolean isBuilding, long done, long total) {}
