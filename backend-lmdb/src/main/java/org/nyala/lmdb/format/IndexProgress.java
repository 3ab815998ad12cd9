package org.nyala.lmdb.format;

/**
 * How far the building or deleting of one kind of index has come.
 *
 * <p>Immutable.
 *
 * @param attribute the name of the attribute type
 * @param kind the kind of index
 * @param isBuilding whether keys are added; else they are deleted
 * @param done the entry id up to which entries are indexed; 0 while keys are deleted
 * @param total the largest entry id
 */
public record IndexProgress(
    String attribute, IndexKind kind, boolean isBuilding, long done, long total) {}
